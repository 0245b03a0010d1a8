import type { models } from 'oci-core'
import type { DriverOptions } from '../../provider'
import type { CountedMachine, Quota, Quotas, Takes } from '../../quota/quota'
import type { Clients } from '../clients'
import { isFlexible } from '../images'
import { GB_OF_OCPU, shapesIn } from '../shapes'

export const VCNS = 'vcn-count'

export const unitOf = (limit: string): string => {
  if (limit === VCNS) return 'VCNs'
  if (/core-count/.test(limit)) return 'OCPUs'
  if (/memory-count/.test(limit)) return 'GB'
  return /gpu/.test(limit) ? 'GPUs' : 'machines'
}

type Shape = Pick<models.Shape, 'shape' | 'ocpus' | 'memoryInGBs' | 'gpus' | 'quotaNames'>

/** What a machine uses of the limits that Oracle reports for its shape. */
export function quotaUseOf({ instance_id, ocpus, mem }: CountedMachine, shapes: Map<string, Shape>): Takes {
  const shape = shapes.get(instance_id)
  if (!shape) return `This tenancy does not offer ${instance_id} in the availability domain.`
  if (!shape.quotaNames?.length) return `Oracle Cloud reports no limit for ${instance_id}.`
  const cores = isFlexible(instance_id) ? ocpus || 1 : (shape.ocpus ?? 1)
  const memory = isFlexible(instance_id) ? mem || cores * GB_OF_OCPU : (shape.memoryInGBs ?? 0)
  const amounts: Record<string, number> = { OCPUs: cores, GB: memory, GPUs: shape.gpus ?? 1, machines: 1 }
  return Object.fromEntries(shape.quotaNames.map((limit) => [limit, amounts[unitOf(limit)] ?? 1]))
}

export const makeQuotas =
  (
    { compute, limits, compartmentId }: Clients,
    { region }: DriverOptions,
    zoneName: (zone: string) => Promise<string>,
  ) =>
  async (machines: CountedMachine[], zone: string): Promise<Quotas> => {
    const availabilityDomain = await zoneName(zone)
    const found = await shapesIn(compute, { compartmentId, availabilityDomain })
    const shapes = new Map(found.map((one) => [one.shape, one]))
    const takes = machines.map((machine) => quotaUseOf(machine, shapes))
    const names = new Set(takes.flatMap((one) => (typeof one === 'string' ? [] : Object.keys(one))))
    const read = async (service: string, limit: string, place: Parameters<typeof limits>[2]) => {
      const left = await limits(service, limit, place)
      if (!left) return []
      const { used, available } = left
      const link = `https://cloud.oracle.com/limits?region=${region}`
      const quota: Quota = { name: limit, unit: unitOf(limit), limit: used + available, used, link }
      return [[limit, quota] as const]
    }
    const known = await Promise.all([
      ...[...names].map((limit) => read('compute', limit, { compartmentId, availabilityDomain })),
      read('vcn', VCNS, { compartmentId }),
    ])
    return { quotas: Object.fromEntries(known.flat()), machines: takes, network: { [VCNS]: 1 } }
  }
