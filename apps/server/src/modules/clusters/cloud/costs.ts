import { isInCloud } from '@flotilla/contract/clusters/entity'
import type { Price } from '@flotilla/contract/clouds/providers'
import type { Catalog } from '../../../providers/provider'
import { localPriceOf, priceOfDisk, priceWithAccelerators, type LocalPrices } from '../../../providers/price'
import type { NodeInfo } from '../../../schedulers/scheduler'
import { fastRestoresOf } from './deploy/fast-restore'
import type { CloudCluster, StoredCluster } from '../stored-cluster'
import { wantedNodes } from '../wanted-nodes'
import { priceNow } from './queries'
import type { CloudDeps } from './workspace/deps'

/** Something that costs money while it exists. */
type CostItem = {
  kind: 'machine' | 'disk' | 'other'
  name: string
  /** Stopped: what a stopped cluster still costs. */
  state: 'busy' | 'idle' | 'stopped'
  /** Null when its price is unknown. */
  perHour: number | null
}

/** The cost of jobs on nodes of one size. */
type Rate = { size: string; perCoreHour: number | null; perGpuHour: number | null }

type Costs = {
  items: CostItem[]
  rates: Rate[]
  /** The size of a node by name, for the rate of the jobs on it. */
  sizeOf: ReadonlyMap<string, string>
  /** When the prices were last changed, if that is known. */
  pricedSince: number | null
}

/** Nodes that are up, at the prices that an admin set. */
function attachedCosts(nodes: NodeInfo[], prices: LocalPrices): Costs {
  const { perCoreHour, perGpuHour } = prices
  return {
    items: nodes
      .filter(({ state }) => state === 'busy' || state === 'available')
      .map((node) => ({
        kind: 'machine',
        name: node.name,
        state: node.state === 'busy' ? 'busy' : 'idle',
        perHour: localPriceOf(node, prices).perHour,
      })),
    rates: [{ size: '', perCoreHour, perGpuHour }],
    sizeOf: new Map(),
    pricedSince: prices.setAt,
  }
}

/** Machines and disks that exist in a cloud. `nodes` is what the resource manager last reported. */
function cloudCosts(
  cluster: CloudCluster,
  catalog: Catalog | null,
  nodes: Pick<NodeInfo, 'name' | 'state'>[],
): Costs {
  const { data, deployed } = cluster
  if (!deployed) return { items: [], rates: [], sizeOf: new Map(), pricedSince: null }
  const region = data.network.region_id
  const stopped = cluster.state === 'stopped'
  const busy = new Set(nodes.filter(({ state }) => state === 'busy').map(({ name }) => name))
  const wanted = new Map(wantedNodes(cluster).map((node) => [node.name, node]))
  const items: CostItem[] = []
  const rates = new Map<string, Rate>()
  const sizeOf = new Map<string, string>()
  const disk = (name: string, size: number, type: string) => {
    if (size === 0) return
    const perHour = priceOfDisk(catalog, region, { size, type })
    items.push({ kind: 'disk', name, state: stopped ? 'stopped' : 'idle', perHour })
  }
  for (const { name, role, instance_id, cores, vanishedAt } of deployed.machines) {
    if (vanishedAt !== undefined) continue
    const settings = role === 'head' ? data.server : data.node
    const machine = role === 'head' ? data.server : (wanted.get(name) ?? { instance_id, ocpus: 0, mem: 0 })
    const perHour = priceWithAccelerators(catalog, region, machine, settings)
    const size = `${instance_id} ${machine.ocpus} ${machine.mem}`
    if (!stopped) {
      items.push({ kind: 'machine', name, state: busy.has(name) ? 'busy' : 'idle', perHour })
      sizeOf.set(name, size)
      // GPUs are part of the machine's price, which jobs share by its cores.
      const perCoreHour = perHour === null || cores === 0 ? null : perHour / cores
      rates.set(size, { size, perCoreHour, perGpuHour: perCoreHour === null ? null : 0 })
    }
    disk(`${name} disk`, settings.volume_size, settings.disk_type)
  }
  for (const { name, size, type } of data.disks) if (name in deployed.disks) disk(name, size, type)
  const restores = fastRestoresOf(cluster)
  if (restores > 0) {
    const each = catalog?.fastRestorePrices?.[region] ?? null
    const perHour = each === null ? null : each * restores
    items.push({ kind: 'other', name: 'fast snapshot restore', state: stopped ? 'stopped' : 'idle', perHour })
  }
  return { items, rates: [...rates.values()], sizeOf, pricedSince: null }
}

const hasNodes = ({ node_totals: { cores, gpus } }: StoredCluster): boolean => cores + gpus > 0

export function makeCosts(deps: CloudDeps, localPrices: () => Promise<LocalPrices>) {
  return {
    /** The parts of a cluster that exist and cost money now. */
    async costsOf(cluster: StoredCluster, nodes: NodeInfo[]): Promise<Costs> {
      if (!isInCloud(cluster)) return attachedCosts(nodes, await localPrices())
      const catalog = await deps.catalog(cluster.provider, cluster.data.network.region_id)
      return cloudCosts(cluster, catalog, nodes)
    },
    /** What clusters cost now. The admin's prices are looked up once for all clusters. */
    async prices(clusters: StoredCluster[]): Promise<(Price | null)[]> {
      const local = clusters.some((one) => !isInCloud(one) && hasNodes(one)) ? await localPrices() : null
      return Promise.all(
        clusters.map(async (cluster) => {
          if (isInCloud(cluster)) return priceNow(deps, cluster)
          return local && hasNodes(cluster) ? localPriceOf(cluster.node_totals, local) : null
        }),
      )
    },
  }
}
