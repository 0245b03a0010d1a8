import { CURRENCY, type ClusterUsage, type JobUsage } from '@flotilla/contract/site/usage'
import type { JobFigures } from './job-figures/store'
import type { machinesByCluster } from './machine-figures/store'
import type { JobRow } from './records/store'

export const inHours = (ms: number) => ms / 3_600_000
/** The sum of no prices is zero. If no price is known the sum is unknown; if some are, it is the sum of those. */
export const sum = (prices: (number | null)[]): number | null => {
  const known = prices.filter((price) => price !== null)
  return known.length === 0 && prices.length > 0 ? null : known.reduce((all, one) => all + one, 0)
}
export const rounded = (price: number | null) => (price === null ? null : Number(price.toFixed(6)))
export const figuresOf = (row: JobFigures) => ({
  jobs: row.jobs,
  coreHours: row.core_hours,
  gpuHours: row.gpu_hours,
  nodeHours: row.node_hours,
  price: rounded(row.price),
  unpricedCoreHours: row.unpriced_core_hours,
})

export const asJobUsage = (row: JobRow): JobUsage => ({
  submissionId: row.submission_id,
  jobId: row.job_id,
  nativeId: row.native_id,
  job: row.name,
  cluster: row.cluster ?? row.cluster_id,
  clusterId: row.cluster_id,
  state: row.state,
  nodes: row.nodes,
  nodeList: row.node_list,
  cores: row.cores,
  gpus: row.gpus,
  startedAt: row.started_at.getTime(),
  endedAt: row.ended_at?.getTime() ?? null,
  estimated: row.estimated,
  coreHours: inHours(row.ms * row.cores),
  gpuHours: inHours(row.ms * row.gpus),
  price: rounded(row.price),
})

type MachineRow = Awaited<ReturnType<typeof machinesByCluster>>[number]
export function asClusterUsage(
  { cluster_id, name, provider }: { cluster_id: string; name: string; provider: string },
  job: JobFigures | undefined,
  rows: MachineRow[],
): ClusterUsage {
  const pick = (wanted: (row: MachineRow) => boolean) => rows.filter(wanted)
  const priceOf = (some: MachineRow[]) => rounded(sum(some.map(({ price }) => price)))
  const hoursOf = (some: MachineRow[]) => inHours(some.reduce((all, { ms }) => all + ms, 0))
  const machines = pick(({ kind }) => kind !== 'disk')
  const disks = pick(({ kind }) => kind === 'disk')
  const nodes = pick(({ kind }) => kind === 'machine')
  return {
    clusterId: cluster_id,
    name,
    provider,
    jobs: job?.jobs ?? 0,
    nodeHours: hoursOf(nodes),
    busyNodeHours: hoursOf(nodes.filter(({ state }) => state === 'busy')),
    coreHours: job?.core_hours ?? 0,
    gpuHours: job?.gpu_hours ?? 0,
    machinePrice: priceOf(machines),
    diskPrice: priceOf(disks),
    price: priceOf(rows),
    unpricedHours: inHours(rows.reduce((all, { unpriced_ms }) => all + unpriced_ms, 0)),
    costs: {
      busy: priceOf(machines.filter(({ state }) => state === 'busy')),
      idle: priceOf(machines.filter(({ state }) => state === 'idle')),
      stopped: priceOf(pick(({ state }) => state === 'stopped')),
      disks: priceOf(disks.filter(({ state }) => state !== 'stopped')),
    },
    currency: CURRENCY,
  }
}
