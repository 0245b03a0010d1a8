import {
  DescribeAddressesCommand,
  DescribeKeyPairsCommand,
  DescribePlacementGroupsCommand,
  paginateDescribeInstances,
  paginateDescribeInternetGateways,
  paginateDescribeLaunchTemplates,
  paginateDescribeNatGateways,
  paginateDescribeNetworkInterfaces,
  paginateDescribeRouteTables,
  paginateDescribeSecurityGroups,
  paginateDescribeSubnets,
  paginateDescribeVolumes,
  paginateDescribeVpcs,
  type EC2Client,
  type Filter,
  type Instance,
  type Tag,
} from '@aws-sdk/client-ec2'
import { CLUSTER_TAG, found } from '../found'
import type { Driver, FoundResource } from '../provider'

const tagOf = (tags: Tag[] | undefined, key: string) => tags?.find(({ Key }) => Key === key)?.Value
type Thing = { Tags?: Tag[] | undefined }

/** Collects the items of all pages. */
async function collect<Page, Item>(
  pages: AsyncIterable<Page>,
  of: (page: Page) => Item[] | undefined,
): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of pages) items.push(...(of(page) ?? []))
  return items
}

/** AWS lists deleted resources for a while. */
const isThere = (state: string | undefined) => !['terminated', 'deleted', 'deleting'].includes(state ?? '')

export const makeFind =
  (ec2: EC2Client, region: string): Driver['find'] =>
  async (clusterId) => {
    const Filters: Filter[] = [
      clusterId === null
        ? { Name: 'tag-key', Values: [CLUSTER_TAG] }
        : { Name: `tag:${CLUSTER_TAG}`, Values: [clusterId] },
    ]
    const at = { client: ec2 }
    const by = { Filters }
    const one = (type: string, kind: FoundResource['kind'], id = '', { Tags }: Thing) =>
      found({
        id,
        type,
        kind,
        name: tagOf(Tags, 'Name') ?? '',
        clusterId: tagOf(Tags, CLUSTER_TAG) ?? null,
        region,
      })

    const [reservations, volumes, nics] = await Promise.all([
      collect(paginateDescribeInstances(at, by), (page) => page.Reservations),
      collect(paginateDescribeVolumes(at, by), (page) => page.Volumes),
      collect(paginateDescribeNetworkInterfaces(at, by), (page) => page.NetworkInterfaces),
    ])
    const machines = reservations
      .flatMap(({ Instances = [] }) => Instances)
      .filter(({ State }) => isThere(State?.Name))
    const [addresses, keys, groups] = await Promise.all([
      ec2.send(new DescribeAddressesCommand(by)),
      ec2.send(new DescribeKeyPairsCommand(by)),
      ec2.send(new DescribePlacementGroupsCommand(by)),
    ])
    const templates = await collect(paginateDescribeLaunchTemplates(at, by), (page) => page.LaunchTemplates)
    const [gateways, routers, tables, subnets, firewalls, networks] = await Promise.all([
      collect(paginateDescribeNatGateways(at, { Filter: Filters }), (page) => page.NatGateways),
      collect(paginateDescribeInternetGateways(at, by), (page) => page.InternetGateways),
      collect(paginateDescribeRouteTables(at, by), (page) => page.RouteTables),
      collect(paginateDescribeSubnets(at, by), (page) => page.Subnets),
      collect(paginateDescribeSecurityGroups(at, by), (page) => page.SecurityGroups),
      collect(paginateDescribeVpcs(at, by), (page) => page.Vpcs),
    ])

    const parts = partsOf(machines)
    const all: FoundResource[] = [
      ...machines.map((machine) => ({
        ...one('aws_instance', 'machine', machine.InstanceId, machine),
        machine: { instance_id: machine.InstanceType ?? '', ocpus: 0, mem: 0 },
      })),
      ...volumes
        .filter(({ State, VolumeId }) => isThere(State) && !parts.has(VolumeId))
        .map((volume) => ({
          ...one('aws_ebs_volume', 'volume', volume.VolumeId, volume),
          sizeGb: volume.Size ?? null,
          diskType: volume.VolumeType ?? '',
        })),
      ...(addresses.Addresses ?? []).map((it) => one('aws_eip', 'address', it.AllocationId, it)),
      ...(keys.KeyPairs ?? []).map((it) => one('aws_key_pair', 'other', it.KeyName, it)),
      ...(groups.PlacementGroups ?? [])
        .filter(({ State }) => isThere(State))
        .map((it) => one('aws_placement_group', 'other', it.GroupName, it)),
      ...templates.map((it) => one('aws_launch_template', 'other', it.LaunchTemplateId, it)),
      ...gateways
        .filter(({ State }) => State !== 'deleted')
        .map((it) => one('aws_nat_gateway', 'network', it.NatGatewayId, it)),
      ...nics
        .filter(({ NetworkInterfaceId }) => !parts.has(NetworkInterfaceId))
        .map((it) => one('aws_network_interface', 'network', it.NetworkInterfaceId, { Tags: it.TagSet })),
      ...tables.map((it) => one('aws_route_table', 'network', it.RouteTableId, it)),
      ...subnets.map((it) => one('aws_subnet', 'network', it.SubnetId, it)),
      ...routers.map((it) => one('aws_internet_gateway', 'network', it.InternetGatewayId, it)),
      ...firewalls.map((it) => one('aws_security_group', 'network', it.GroupId, it)),
      ...networks.map((it) => one('aws_vpc', 'network', it.VpcId, it)),
    ]
    // Some callers remove what is found, so nothing without the tag is ever returned.
    return all.filter((it) => (clusterId === null ? it.clusterId !== null : it.clusterId === clusterId))
  }

/** The disks and network interfaces that are deleted together with these machines. */
const partsOf = (machines: Instance[]): Set<string | undefined> =>
  new Set(
    machines.flatMap(({ BlockDeviceMappings = [], NetworkInterfaces = [] }) => [
      ...BlockDeviceMappings.flatMap(({ Ebs }) => (Ebs?.DeleteOnTermination ? [Ebs.VolumeId] : [])),
      ...NetworkInterfaces.flatMap(({ Attachment, NetworkInterfaceId }) =>
        Attachment?.DeleteOnTermination ? [NetworkInterfaceId] : [],
      ),
    ]),
  )
