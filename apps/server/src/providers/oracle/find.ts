import { CLUSTER_TAG, found } from '../found'
import type { Driver, FoundResource } from '../provider'
import type { Clients } from './clients'

/** The fields that all of Oracle's resources have. */
interface Thing {
  id?: string
  displayName?: string
  lifecycleState?: string
  freeformTags?: Record<string, string>
}
interface Page<Item> {
  items: Item[]
  opcNextPage?: string
}

/** Collects the items of all pages. */
async function all<Item>(fetchPage: (page: { page?: string }) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = []
  let next: string | undefined
  do {
    const page: Page<Item> = await fetchPage(next ? { page: next } : {})
    items.push(...page.items)
    next = page.opcNextPage || undefined
  } while (next)
  return items
}

/** Oracle lists deleted resources for a while. */
const isThere = ({ lifecycleState }: Thing) => !['TERMINATED', 'DELETED'].includes(lifecycleState ?? '')

export const makeFind =
  ({ compute, storage, network, compartmentId }: Clients, region: string): Driver['find'] =>
  async (clusterId) => {
    const at = { compartmentId }
    const ours = <Item extends Thing>(items: Item[]) =>
      items.filter((item) => {
        const cluster = item.freeformTags?.[CLUSTER_TAG]
        return isThere(item) && (clusterId === null ? cluster !== undefined : cluster === clusterId)
      })
    const one = (type: string, kind: FoundResource['kind'], item: Thing) =>
      found({
        id: item.id ?? '',
        type,
        kind,
        name: item.displayName ?? '',
        clusterId: item.freeformTags?.[CLUSTER_TAG] ?? null,
        region,
      })
    const ofNetwork =
      (type: string) =>
      (items: Thing[]): FoundResource[] =>
        ours(items).map((item) => one(type, 'network', item))

    const [machines, clusters, volumes, ...networks] = await Promise.all([
      all((page) => compute.listInstances({ ...at, ...page })),
      all(async (page) => {
        const { computeClusterCollection, opcNextPage } = await compute.listComputeClusters({
          ...at,
          ...page,
        })
        return { ...computeClusterCollection, opcNextPage }
      }),
      all((page) => storage.listVolumes({ ...at, ...page })),
      // Resources come before others that they depend on.
      all((page) => network.listSubnets({ ...at, ...page })).then(ofNetwork('oci_core_subnet')),
      all((page) => network.listRouteTables({ ...at, ...page })).then(ofNetwork('oci_core_route_table')),
      all((page) => network.listSecurityLists({ ...at, ...page })).then(ofNetwork('oci_core_security_list')),
      all((page) => network.listNetworkSecurityGroups({ ...at, ...page })).then(
        ofNetwork('oci_core_network_security_group'),
      ),
      all((page) => network.listInternetGateways({ ...at, ...page })).then(
        ofNetwork('oci_core_internet_gateway'),
      ),
      all((page) => network.listNatGateways({ ...at, ...page })).then(ofNetwork('oci_core_nat_gateway')),
      all((page) => network.listLocalPeeringGateways({ ...at, ...page })).then(
        ofNetwork('oci_core_local_peering_gateway'),
      ),
      all((page) => network.listVcns({ ...at, ...page })).then(ofNetwork('oci_core_vcn')),
    ])
    return [
      ...ours(machines).map((machine) => ({
        ...one('oci_core_instance', 'machine', machine),
        machine: {
          instance_id: machine.shape,
          ocpus: machine.shapeConfig?.ocpus ?? 0,
          mem: machine.shapeConfig?.memoryInGBs ?? 0,
        },
      })),
      ...ours(clusters).map((cluster) => one('oci_core_compute_cluster', 'other', cluster)),
      ...ours(volumes).map((volume) => ({
        ...one('oci_core_volume', 'volume', volume),
        sizeGb: volume.sizeInGBs ?? null,
        diskType: String(volume.vpusPerGB ?? ''),
      })),
      ...networks.flat(),
    ]
  }
