import { CLOUD_NODES_MAX } from '../limits'
import type { Field, InstanceSize } from './providers'

type Limited = Pick<Field, 'path' | 'unit' | 'min' | 'max' | 'sizes'>

/** The error message for a value of a described field, or null. */
function limitError({ unit, min, max, sizes }: Limited, value: unknown): string | null {
  const of = unit === undefined ? '' : ` ${unit}`
  if (typeof value === 'number') {
    if (min !== undefined && value < min) return `At least ${min}${of}`
    if (max !== undefined && value > max) return `At most ${max}${of}`
  }
  if (sizes && typeof value === 'string' && value !== '' && !sizes.includes(value))
    return `${value} is not an available size`
  return null
}

/** The value at a path such as `data.network.region_id`. */
export const valueAt = (entity: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
      entity,
    )

/** Every value outside the limits of its field, by path. */
export const outsideLimits = (fields: readonly Limited[], entity: unknown, prefix = ''): [string, string][] =>
  fields.flatMap((field): [string, string][] => {
    const path = prefix + field.path
    const why = limitError(field, valueAt(entity, path))
    return why === null ? [] : [[path, why]]
  })

interface Described {
  clusterFields: readonly Limited[]
  groupFields: readonly Limited[]
  instanceSizes: readonly InstanceSize[]
}

/** For a size with configurable cores and memory: they must not exceed the size's maximum. */
function outsideSize(sizes: readonly InstanceSize[], cluster: unknown, prefix: string): [string, string][] {
  const chosen = valueAt(cluster, `${prefix}instance_id`)
  const size = sizes.find(({ instance_id, flexible }) => flexible && instance_id === chosen)
  if (!size) return []
  const limits = [
    { path: 'ocpus', unit: `OCPUs on ${size.name}`, max: size.maxOcpus },
    { path: 'mem', unit: `GB on ${size.name}`, max: size.maxMemory },
  ]
  return outsideLimits(limits, cluster, prefix)
}

/** Reported at the group that exceeds the total number of nodes. */
function tooManyNodes(groups: readonly unknown[]): [string, string][] {
  let sum = 0
  for (const [at, group] of groups.entries()) {
    sum += Number(valueAt(group, 'count')) || 0
    if (sum > CLOUD_NODES_MAX)
      return [[`data.node.group.${at}.count`, `At most ${CLOUD_NODES_MAX} nodes in total`]]
  }
  return []
}

/** The same for a cluster, including the fields of its node groups. */
export const clusterOutsideLimits = (
  { clusterFields, groupFields, instanceSizes }: Described,
  cluster: { data: { node: { group: readonly unknown[] } } },
): [string, string][] => [
  ...outsideLimits(clusterFields, cluster),
  ...outsideSize(instanceSizes, cluster, 'data.server.'),
  ...tooManyNodes(cluster.data.node.group),
  ...cluster.data.node.group.flatMap((_group, at) => {
    const prefix = `data.node.group.${at}.`
    return [...outsideLimits(groupFields, cluster, prefix), ...outsideSize(instanceSizes, cluster, prefix)]
  }),
]
