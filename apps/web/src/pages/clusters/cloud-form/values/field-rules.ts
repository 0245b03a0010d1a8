import { valueAt } from '@flotilla/contract/clouds/field-limits'
import type { Field, formSteps, Provider } from '@flotilla/contract/clouds/providers'
import { isShownWith } from '../../../../clouds/field-rules'
import type { CloudValues } from './cloud-values'
import { isNodeCount } from '../rows/node-count'

export type Step = (typeof formSteps)[number]
export const stepNames: Record<Step | 'summary', string> = {
  basics: 'Basics',
  head: 'Head node',
  nodes: 'Nodes',
  network: 'Network',
  software: 'Software',
  advanced: 'Advanced',
  summary: 'Summary',
}

/** Whether the provider creates networks. Providers without regions use existing machines, which already have one. */
export const makesNetwork = ({ clusterFields }: Pick<Provider, 'clusterFields'>): boolean =>
  clusterFields.some(({ kind }) => kind === 'region')

/** Whether a cluster uses an existing network. */
export const isGivenNetwork = (network: CloudValues['data']['network']): boolean =>
  [network.vpc_id, network.vcn_id, network.network_id, network.vswitch_id, network.subnet_id].some(
    (id) => id !== '',
  )

/** Fields that apply only when a machine is created: existing machines are not recreated for them. */
const creationOnly = new Set([
  'info.os-type',
  'data.server.image_name',
  'data.provision.script',
  'data.rhel_activation_key',
  'data.rhel_organization_id',
])
export const ONLY_NEW = 'Changes affect only new machines.'
const IN_PLACE = 'The cluster is deployed here. Destroy it to change this.'

/** The effect of an edit on a deployed cluster, and whether the field can be changed at all. */
export function whenDeployed({ path, kind }: Pick<Field, 'path' | 'kind'>): {
  hint?: string
  locked: boolean
} {
  if (kind === 'region' || kind === 'zone') return { hint: IN_PLACE, locked: true }
  return creationOnly.has(path) ? { hint: ONLY_NEW, locked: false } : { locked: false }
}

export const GROUPS = 'data.node.group'

/** Fields that the form renders itself, by path prefix. */
const own: readonly (readonly [string, Step])[] = [
  ['name', 'basics'],
  ['description', 'basics'],
  ['provider', 'basics'],
  ['credential_id', 'basics'],
  ['stack_id', 'basics'],
  ['collaborators', 'basics'],
  ['ldapCollaborators', 'basics'],
  ['forEveryone', 'basics'],
  ['data.disks', 'head'],
  ['data.mounts', 'head'],
  [GROUPS, 'nodes'],
  ['data.tags', 'advanced'],
]
const begins = (path: string, start: string): boolean => path === start || path.startsWith(`${start}.`)

/** The step of a field; null if this provider's form does not have it. */
export function stepOf(provider: Pick<Provider, 'clusterFields'>, path: string): Step | null {
  const described = provider.clusterFields.find((field) => begins(path, field.path))
  return described?.step ?? own.find(([start]) => begins(path, start))?.[1] ?? null
}

/** The paths to validate when the user leaves a step. */
export const pathsOf = (provider: Provider, step: Step): string[] => [
  ...own.filter(([, at]) => at === step).map(([path]) => path),
  ...provider.clusterFields.filter((field) => field.step === step).map(({ path }) => path),
]

const isEmpty = (value: unknown): boolean =>
  value === '' || value === null || value === undefined || (Array.isArray(value) && value.length === 0)
const isRequired = ({ kind, label }: Field, of: string): string =>
  kind === 'ranges' ? 'Enter who can connect, or allow everyone' : `${label}${of} is required`

/** Fields that are required to plan or deploy the cluster, by path; saving does not need them. */
export function missingIn(provider: Provider, values: CloudValues): Map<string, string> {
  const missing = new Map<string, string>()
  const collect = (fields: readonly Field[], prefix: string, of = '') => {
    for (const field of fields) {
      const path = prefix + field.path
      if (!field.required || !isShownWith(field, values, provider, prefix)) continue
      if (isEmpty(valueAt(values, path))) missing.set(path, isRequired(field, of))
    }
  }
  if (values.name.trim() === '') missing.set('name', 'Name is required')
  if (values.credential_id === '') missing.set('credential_id', 'Choose a credential')
  collect(provider.clusterFields, '')
  for (const [at, group] of values.data.node.group.entries())
    if (group.count > 0) collect(provider.groupFields, `${GROUPS}.${at}.`, ` for group ${at + 1}`)
  return missing
}

/** The paths of the form's errors. */
export function pathsWithErrors(errors: unknown, at = ''): string[] {
  if (typeof errors !== 'object' || errors === null) return []
  if ('message' in errors && typeof errors.message === 'string') return [at]
  return Object.entries(errors)
    .filter(([key]) => key !== 'ref' && key !== 'types')
    .flatMap(([key, inner]) => pathsWithErrors(inner, at ? `${at}.${key}` : key))
}

/**
 * The names of a group's nodes. Groups that share a prefix are numbered consecutively. Empty while a count is invalid.
 */
export function nodeNames(values: CloudValues, at: number): string {
  const prefixOf = (group: CloudValues['data']['node']['group'][number]) =>
    group.group_node_prefix || values.info.node_prefix || 'node'
  const groups = values.data.node.group
  const group = groups[at]
  if (groups.slice(0, at + 1).some(({ count }) => !isNodeCount(count))) return ''
  if (!group || group.count === 0) return 'no nodes'
  const prefix = prefixOf(group)
  const before = groups
    .slice(0, at)
    .filter((one) => prefixOf(one) === prefix)
    .reduce((sum, one) => sum + one.count, 0)
  const first = `${prefix}${before + 1}`
  return group.count === 1 ? first : `${first} to ${prefix}${before + group.count}`
}
