import * as z from 'zod/mini'
import type { DriverOptions } from '../provider'
import type { CountedMachine, Quota, Quotas, Takes as QuotaUse } from '../quota/quota'
import type { Gcp } from './client'

const Metrics = z.object({
  quotas: z._default(
    z.array(z.object({ metric: z.string(), limit: z.number(), usage: z._default(z.number(), 0) })),
    [],
  ),
})

/** Families whose vCPUs count toward CPUS instead of a metric of their own. */
const COMMON = /^(n1|e2|f1|g1)$/
/** The built-in GPUs of machine families. */
const builtIn: [RegExp, string][] = [
  [/^a2-ultragpu/, 'NVIDIA_A100_80GB'],
  [/^a2-/, 'NVIDIA_A100'],
  [/^g2-/, 'NVIDIA_L4'],
]

/**
 * The metrics that count a machine. For the newest families, Google reports no quota here. Spot machines count as
 * preemptible if the project has a quota for those, otherwise like all others.
 */
export function quotaUseOf(machine: CountedMachine, has: (metric: string) => boolean): QuotaUse {
  const { instance_id, cores, gpus, accelerator, spot } = machine
  const [family = ''] = instance_id.split('-')
  const common = COMMON.test(family) ? 'CPUS' : `${family.toUpperCase()}_CPUS`
  const asSpot = (metric: string) => (spot && has(`PREEMPTIBLE_${metric}`) ? `PREEMPTIBLE_${metric}` : metric)
  const cpus = spot && has('PREEMPTIBLE_CPUS') ? 'PREEMPTIBLE_CPUS' : common
  if (!has(cpus)) return `Google Cloud does not report the quota for ${family} machines in this region.`
  const takes: Record<string, number> = {
    [cpus]: cores,
    ...(has('CPUS_ALL_REGIONS') && { CPUS_ALL_REGIONS: cores }),
  }
  if (gpus === 0) return takes
  const model = accelerator
    ? accelerator
        .replace(/^nvidia-(tesla-)?/, 'nvidia-')
        .replaceAll('-', '_')
        .toUpperCase()
    : builtIn.find(([pattern]) => pattern.test(instance_id))?.[1]
  const metric = model && asSpot(`${model}_GPUS`)
  if (!metric || !has(metric))
    return `Google Cloud does not report the GPU quota for ${instance_id} in this region.`
  return { ...takes, [metric]: gpus, ...(has('GPUS_ALL_REGIONS') && { GPUS_ALL_REGIONS: gpus }) }
}

export const unitOf = (metric: string): string => {
  if (/CPUS/.test(metric)) return 'vCPUs'
  if (/GPUS/.test(metric)) return 'GPUs'
  return metric === 'NETWORKS' ? 'networks' : 'addresses'
}

export const makeQuotas =
  (gcp: Gcp, { region }: DriverOptions) =>
  async (machines: CountedMachine[]): Promise<Quotas> => {
    const read = async (path: string) => Metrics.parse(await gcp.get(path)).quotas
    const [regional, ofProject] = await Promise.all([
      read(`${gcp.project}/regions/${encodeURIComponent(region)}`),
      read(gcp.project),
    ])
    const link = `https://console.cloud.google.com/iam-admin/quotas?project=${gcp.project.slice('projects/'.length)}`
    // A limit of 0 for a preemptible metric means that such machines count like all others.
    const counts = ({ metric, limit }: { metric: string; limit: number }) =>
      limit > 0 || !metric.startsWith('PREEMPTIBLE_')
    const quotas = Object.fromEntries(
      [...ofProject, ...regional]
        .filter(counts)
        .map(({ metric, limit, usage }): [string, Quota] => [
          metric,
          { name: metric, unit: unitOf(metric), limit, used: usage, link },
        ]),
    )
    return {
      quotas,
      machines: machines.map((machine) => quotaUseOf(machine, (metric) => metric in quotas)),
      address: { IN_USE_ADDRESSES: 1, STATIC_ADDRESSES: 1 },
      network: { NETWORKS: 1 },
    }
  }
