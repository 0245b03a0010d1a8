import type { CloudData } from '@flotilla/contract/clusters/cloud'
import { HOURS_A_MONTH } from '@flotilla/contract/limits'
import type { Price } from '@flotilla/contract/clouds/providers'
import { attachedTo } from './accelerators'
import type { Catalog, FoundResource, WantedMachine } from './provider'
import { cutOf } from './sizes'

type Machine = Pick<WantedMachine, 'instance_id' | 'ocpus' | 'mem'> &
  Partial<Pick<WantedMachine, 'spot' | 'tier1'>>
type Part = Price['parts'][number]

/** All nodes of all groups, for the price of the complete cluster. */
export const everyNode = ({ node }: CloudData): Machine[] =>
  node.group.flatMap(({ count, instance_id, ocpus, mem, spot, tier1 }) =>
    Array.from({ length: count }, () => ({ instance_id, ocpus, mem, spot, tier1 })),
  )

export interface Up {
  /** Whether the head node exists. */
  head: boolean
  /** The nodes that exist. */
  nodes: Machine[]
  /** Whether the machines are stopped: disks, address and gateway are still billed. */
  stopped?: boolean
  /** AWS: the number of zones with fast snapshot restore, which is also billed while the cluster is stopped. */
  fastRestores?: number
}

/**
 * The price of a cluster per hour: machines on demand, and disks if their prices are known. Addresses, gateways and
 * traffic are listed without a price. `catalog` is that of the cluster's region.
 */
export function priceOf(catalog: Catalog | null, data: CloudData, up: Up, note: string | null): Price {
  const region = data.network.region_id
  const parts: Part[] = []
  const { server, node } = data
  const runs = up.stopped !== true
  if (up.head && runs) parts.push(part('head node', server, 1, priceOfMachine(catalog, region, server)))
  if (up.head && runs) parts.push(...accelerators(catalog, region, server, [server]))
  for (const [machine, count] of runs ? counted(up.nodes) : []) {
    parts.push(part(nodeText(machine, count), machine, count, priceOfMachine(catalog, region, machine)))
  }
  if (up.nodes.length > 0 && runs) parts.push(...accelerators(catalog, region, node, up.nodes))
  const fast = runs ? up.nodes.filter(({ tier1 }) => tier1).length : 0
  // Google charges for Tier_1 networking by size and region.
  if (fast > 0) parts.push({ what: 'Tier_1 networking', count: fast, perHour: null })
  parts.push(...disks(catalog, data, up))
  const { fastRestores = 0 } = up
  if (fastRestores > 0) {
    const each = catalog?.fastRestorePrices?.[region] ?? null
    const perHour = each === null ? null : each * fastRestores
    parts.push({ what: 'fast snapshot restore, per zone', count: fastRestores, perHour })
  }
  // Machines of the user's own, which are in no region, have neither an address nor a gateway to pay for.
  const inCloud = catalog !== null && region !== ''
  if (up.head && !server.isPrivate && inCloud)
    parts.push({ what: 'public address of the head node', count: 1, perHour: null })
  // In a network that the cluster creates, nodes have no public addresses.
  if (up.head && !data.network.subnet_id && inCloud)
    parts.push({ what: 'NAT gateway for the nodes', count: 1, perHour: null })
  if (up.head && runs && inCloud) parts.push({ what: 'network traffic', count: 1, perHour: null })
  return summed(parts, catalog, note)
}

/** Spot prices change hourly and are not known, so on-demand prices are shown as an upper limit. */
const nodeText = ({ spot }: Machine, count: number): string => {
  const nodes = count === 1 ? 'node' : 'nodes'
  return spot ? `spot ${nodes} at most` : nodes
}

/** The price of a machine per hour, or null. */
export function priceOfMachine(catalog: Catalog | null, region: string, machine: Machine): number | null {
  const size = catalog?.sizes.find(({ instance_id }) => instance_id === machine.instance_id)
  const each = catalog?.flexible?.[machine.instance_id]
  if (size?.flexible) {
    if (!each) return null
    const { ocpus, mem } = cutOf(size, machine)
    return ocpus * each.ocpu + mem * each.gb
  }
  return catalog?.prices[region]?.[machine.instance_id] ?? null
}

/** The price of a machine with its accelerators. */
export function priceWithAccelerators(
  catalog: Catalog | null,
  region: string,
  machine: Machine,
  accelerator: { accelerator_type: string; accelerator_count: number },
): number | null {
  const parts = [
    priceOfMachine(catalog, region, machine),
    ...accelerators(catalog, region, accelerator, [machine]).map(({ perHour }) => perHour),
  ]
  return parts.reduce((sum, one) => (sum === null || one === null ? null : sum + one))
}

/** The price of a disk per hour, or null. */
export function priceOfDisk(
  catalog: Catalog | null,
  region: string,
  { size, type }: { size: number; type: string },
): number | null {
  const each = catalog?.diskPrices?.[region]?.[type]
  return each === undefined ? null : (each * size) / HOURS_A_MONTH
}

/** The price per hour of a resource that was found in a cloud, or null. */
export function priceOfFound(catalog: Catalog | null, found: FoundResource): number | null {
  const { machine, diskType, sizeGb, region } = found
  if (machine) return priceOfMachine(catalog, region, machine)
  return diskType === undefined || sizeGb === null
    ? null
    : priceOfDisk(catalog, region, { size: sizeGb, type: diskType })
}

function part(what: string, { instance_id }: Machine, count: number, each: number | null): Part {
  const size = instance_id === '' ? 'no size chosen' : instance_id
  return { what: `${what}, ${size}`, count, perHour: each === null ? null : each * count }
}

/** Identical machines with their number. */
function counted(machines: Machine[]): [Machine, number][] {
  const kinds = new Map<string, [Machine, number]>()
  for (const machine of machines) {
    const key = `${machine.instance_id} ${machine.ocpus} ${machine.mem} ${machine.spot === true}`
    const kind = kinds.get(key)
    if (kind) kind[1] += 1
    else kinds.set(key, [machine, 1])
  }
  return [...kinds.values()]
}

function accelerators(
  catalog: Catalog | null,
  region: string,
  attached: { accelerator_type: string; accelerator_count: number },
  machines: Pick<Machine, 'instance_id'>[],
): Part[] {
  const type = attached.accelerator_type
  const count = machines.reduce((sum, { instance_id }) => sum + attachedTo(attached, instance_id), 0)
  if (count === 0) return []
  const each = catalog?.accelerators?.[region]?.[type] ?? null
  return [{ what: `accelerator ${type}`, count, perHour: each === null ? null : each * count }]
}

function disks(catalog: Catalog | null, { network, server, node, disks: more }: CloudData, up: Up) {
  const nodes = up.nodes.length
  const disk = (what: string, size: number, type: string, count: number): Part[] => {
    if (size === 0 || count === 0) return []
    const each = priceOfDisk(catalog, network.region_id, { size, type })
    return [{ what: `${what}, ${size} GB`, count, perHour: each === null ? null : each * count }]
  }
  return [
    ...disk('head node disk', server.volume_size, server.disk_type, up.head ? 1 : 0),
    ...disk(nodes === 1 ? 'node disk' : 'node disks', node.volume_size, node.disk_type, nodes),
    ...more.flatMap(({ name, size, type }) => disk(`disk ${name}`, size, type, 1)),
  ]
}

function summed(parts: Part[], catalog: Catalog | null, note: string | null): Price {
  return {
    ...sumOf(parts),
    source: catalog?.source ?? 'no price list',
    date: catalog?.date ?? '',
    note,
  }
}

/** If no part has a price, the sum is unknown rather than zero. */
function sumOf(parts: Part[]): Pick<Price, 'perHour' | 'perMonth' | 'currency' | 'parts' | 'unpriced'> {
  const known = parts.flatMap(({ perHour }) => (perHour === null ? [] : [perHour]))
  const unpriced = parts.filter(({ perHour }) => perHour === null).map(({ what }) => what)
  const sum = known.length === 0 && unpriced.length > 0 ? null : known.reduce((all, one) => all + one, 0)
  return {
    perHour: sum === null ? null : rounded(sum, 6),
    perMonth: sum === null ? null : rounded(sum * HOURS_A_MONTH, 2),
    currency: 'USD',
    parts: parts.map((one) => ({ ...one, perHour: one.perHour === null ? null : rounded(one.perHour, 6) })),
    unpriced,
  }
}
const rounded = (value: number, digits: number) => Number(value.toFixed(digits))

/** The prices that an admin set for the user's own machines. */
export interface LocalPrices {
  perCoreHour: number | null
  perGpuHour: number | null
  setAt: number | null
}

/** The price of a local cluster per hour, by the prices that an admin set. */
export function localPriceOf(has: { cores: number; gpus: number }, prices: LocalPrices): Price {
  const line = (what: string, count: number, each: number | null): Part[] =>
    count === 0 ? [] : [{ what, count, perHour: each === null ? null : each * count }]
  return {
    ...sumOf([...line('cores', has.cores, prices.perCoreHour), ...line('GPUs', has.gpus, prices.perGpuHour)]),
    source: prices.setAt === null ? 'no price is set' : 'set by an admin',
    date: prices.setAt === null ? '' : new Date(prices.setAt).toISOString().slice(0, 10),
    note: null,
  }
}
