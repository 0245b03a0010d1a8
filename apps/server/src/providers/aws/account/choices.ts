import {
  type EC2Client,
  type Tag,
  DescribeAddressesCommand,
  paginateDescribeImages,
  paginateDescribeSecurityGroups,
  paginateDescribeSubnets,
  paginateDescribeVolumes,
  paginateDescribeVpcs,
} from '@aws-sdk/client-ec2'
import { EXISTING_DISK, EXISTING_FILE_SYSTEM } from '@flotilla/contract/clouds/account-choices'
import { accountList, choice, forProcessor, gigabytes, inZone, type AccountLists } from '../../account-lists'
import type { DriverOptions } from '../../provider'
import { elasticFileSystems, lustreFileSystems } from './file-systems'
import { instanceProfiles } from './iam'

const nameIn = (tags: Tag[] | undefined) => tags?.find(({ Key }) => Key === 'Name')?.Value
const PAGE = 500

/** The account's resources in the driver's region, by the fields that refer to them. */
export function makeChoices(client: EC2Client, options: DriverOptions): AccountLists {
  const paged = { client, pageSize: PAGE }
  const vpcs = accountList(
    'ec2:DescribeVpcs',
    (abortSignal) => paginateDescribeVpcs(paged, {}, { abortSignal }),
    ({ Vpcs = [] }) =>
      Vpcs.map((it) => choice(it.VpcId, nameIn(it.Tags), it.CidrBlock, it.IsDefault ? 'default' : undefined)),
  )
  const subnets = accountList(
    'ec2:DescribeSubnets',
    (abortSignal) => paginateDescribeSubnets(paged, {}, { abortSignal }),
    ({ Subnets = [] }) =>
      Subnets.map((it) => ({
        ...choice(it.SubnetId, nameIn(it.Tags), it.CidrBlock, it.AvailabilityZone, it.VpcId),
        within: it.VpcId,
        ...inZone(it.AvailabilityZone),
        ...(it.CidrBlock !== undefined && { range: it.CidrBlock }),
      })),
  )
  const firewalls = accountList(
    'ec2:DescribeSecurityGroups',
    (abortSignal) => paginateDescribeSecurityGroups(paged, {}, { abortSignal }),
    ({ SecurityGroups = [] }) =>
      SecurityGroups.map((it) => ({
        ...choice(it.GroupId, it.GroupName, it.Description, it.VpcId),
        within: it.VpcId,
      })),
  )
  const images = accountList(
    'ec2:DescribeImages',
    (abortSignal) => paginateDescribeImages(paged, { Owners: ['self'] }, { abortSignal }),
    ({ Images = [] }) =>
      Images.map((it) => ({
        ...choice(
          it.ImageId,
          it.Name ?? nameIn(it.Tags),
          it.Architecture,
          it.CreationDate?.slice(0, 'yyyy-mm-dd'.length),
          it.State === 'available' ? undefined : it.State,
        ),
        ...forProcessor(it.Architecture),
      })),
  )
  return {
    'data.network.vpc_id': vpcs,
    'data.network.subnet_id': subnets,
    'data.network.security_group_id': firewalls,
    'data.network.eip_id': {
      right: 'ec2:DescribeAddresses',
      async *pages(abortSignal) {
        const { Addresses = [] } = await client.send(new DescribeAddressesCommand({}), { abortSignal })
        // An address that is in use would be taken from its machine.
        yield Addresses.filter(({ AssociationId }) => !AssociationId).map((it) =>
          choice(it.AllocationId, nameIn(it.Tags), it.PublicIp),
        )
      },
    },
    'data.ec2_role': instanceProfiles(options),
    [EXISTING_DISK]: accountList(
      'ec2:DescribeVolumes',
      (abortSignal) =>
        // Only disks that are not attached.
        paginateDescribeVolumes(
          paged,
          { Filters: [{ Name: 'status', Values: ['available'] }] },
          { abortSignal },
        ),
      ({ Volumes = [] }) =>
        Volumes.map((it) => ({
          ...choice(it.VolumeId, nameIn(it.Tags), gigabytes(it.Size), it.VolumeType, it.AvailabilityZone),
          ...inZone(it.AvailabilityZone),
        })),
    ),
    [EXISTING_FILE_SYSTEM.nfs]: elasticFileSystems(options),
    [EXISTING_FILE_SYSTEM.lustre]: lustreFileSystems(options),
    'data.server.image_name': images,
    'data.vpc_id': vpcs,
    'data.subnet_id': subnets,
    'data.security_group_id': firewalls,
    'data.source_image': images,
  }
}
