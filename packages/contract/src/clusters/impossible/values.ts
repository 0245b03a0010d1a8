import { valueAt } from '../../clouds/field-limits'
import { GPU_PARTITION_MODES } from '../../limits'
import type { Field, Refusal } from '../../clouds/providers'

export type Problem = [path: string, message: string]

/** Values that stand for "none" without being empty. */
const none: Record<string, unknown> = {
  'data.node.group.gpu_partition_mode': GPU_PARTITION_MODES[0],
  'data.image_gpu_software': 'none',
}

/** The fields of a cluster or stack that are set although the provider cannot use them, each with the reason. */
export const problemsIn = (refusals: readonly Refusal[], entity: object): Problem[] =>
  refusals.flatMap(({ path, reason }) =>
    valuesAt(entity, path.split('.'))
      .filter(([, value]) => isSet(value) && value !== none[path])
      .map(([at]): Problem => [at, reason]),
  )

/** Every value at a path, with its own path; for lists on the path, those of every item. */
function valuesAt(value: unknown, [key, ...rest]: string[], at: string[] = []): [string, unknown][] {
  if (key === undefined) return [[at.join('.'), value]]
  if (Array.isArray(value))
    return value.flatMap((one, index) => valuesAt(one, [key, ...rest], [...at, String(index)]))
  if (typeof value !== 'object' || value === null) return []
  return valuesAt(Reflect.get(value, key), rest, [...at, key])
}

function isSet(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

type Described = Pick<Field, 'path' | 'label' | 'format' | 'kind' | 'choices'>

/** Values that do not match their field's format or are not among its choices. */
export const malformedIn = (fields: readonly Described[], entity: unknown, prefix = ''): Problem[] =>
  fields.flatMap(({ path, format, kind, choices, label }): Problem[] => {
    const value = valueAt(entity, prefix + path)
    if (typeof value !== 'string' || value === '') return []
    if (format && !new RegExp(format.pattern, 'i').test(value))
      return [[prefix + path, `Enter a value such as ${format.example}`]]
    if (kind === 'choice' && choices && !choices.some((choice) => choice.value === value))
      return [[prefix + path, `No ${label.toLowerCase()} named ${value}`]]
    return []
  })
