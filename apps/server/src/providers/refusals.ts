import { GPU_PARTITION_MODES } from '@flotilla/contract/limits'
import type { Refusal } from '@flotilla/contract/clouds/providers'

/** Fields whose value says "none" without being empty. */
const none: Record<string, unknown> = { 'data.node.group.gpu_partition_mode': GPU_PARTITION_MODES[0] }

/**
 * The set fields of a cluster or stack that the provider refuses: Deploy and Build report them instead of starting.
 */
export const refusalsIn = ({ refusals }: { refusals: Refusal[] }, entity: object): Refusal[] =>
  refusals.filter(({ path }) =>
    valuesAt(entity, path.split('.')).some((value) => isSet(value) && value !== none[path]),
  )

/** Each value at the path; lists on the way are gone through one by one. */
function valuesAt(value: unknown, [key, ...rest]: string[]): unknown[] {
  if (key === undefined) return [value]
  if (Array.isArray(value)) return value.flatMap((one) => valuesAt(one, [key, ...rest]))
  if (typeof value !== 'object' || value === null) return []
  return valuesAt(Reflect.get(value, key), rest)
}

function isSet(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}
