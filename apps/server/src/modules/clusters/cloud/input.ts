import type { CloudClusterInput, Disk } from '@flotilla/contract/clusters/cloud'
import type { Resize } from '@flotilla/contract/clusters/lifecycle'
import { clusterOutsideLimits, valueAt } from '@flotilla/contract/clouds/field-limits'
import { shrunkSystemDisks } from '@flotilla/contract/clusters/impossible/disks'
import { impossibleIn } from '@flotilla/contract/clusters/impossible/impossible'
import type { Problem } from '@flotilla/contract/clusters/impossible/values'
import { imageOfStack, type StackChoices } from '@flotilla/contract/stacks/stack-choices'
import type { Field } from '@flotilla/contract/clouds/providers'
import { fail } from '../../../fail'
import type { Caller } from '../../../http/caller'
import { sameId } from '../../../providers/found'
import type { Catalog } from '../../../providers/provider'
import { cloudProviders } from '../../../providers/registry'
import { unknownSizes } from '../../../providers/sizes'
import type { CloudCluster } from '../stored-cluster'
import { everyNode, presentNodes } from '../wanted-nodes'
import { isMine } from '../../sharing/sharing'

/**
 * Rejects fields that are invalid on every cloud. What only this cloud does not support is saved: the entity is the
 * same for all of them, and Plan and Deploy report what is not possible.
 */
export function refuseInvalid(
  input: CloudClusterInput,
  catalog: Catalog | null,
  before?: CloudCluster,
): void {
  const provider = cloudProviders[input.provider]
  const instanceSizes = catalog?.sizes ?? []
  const os = provider.osTypes.find(({ id }) => id === input.info['os-type'])
  const fields: Record<string, string> = Object.fromEntries([
    ...clusterOutsideLimits({ ...provider, instanceSizes }, input).map(([path, limit]) => [
      `cluster.${path}`,
      limit,
    ]),
    ...missingSizes(input, catalog, before).map(([path, reason]) => [`cluster.${path}`, reason]),
  ])
  if (!os) fields['cluster.info.os-type'] = 'No such operating system'
  const names = namesTwice(input)
  if (names.length > 0) fields['cluster.data.disks'] = `Two disks are named ${names.join(', ')}`
  const paths = repeated(input.data.mounts.map(({ path }) => path))
  if (paths.length > 0) fields['cluster.data.mounts'] = `Two file systems are mounted at ${paths.join(', ')}`
  const ids = repeated(input.data.disks.map(({ id }) => sameId(id)).filter((id) => id !== ''))
  if (ids.length > 0) fields['cluster.data.disks'] = `The disk ${ids.join(', ')} is attached twice`
  if (Object.keys(fields).length > 0) fail('bad_input', { fields })
}

/** Errors for sizes of the head node and of groups that are not in the catalog. */
function missingSizes(
  input: Pick<CloudClusterInput, 'provider' | 'data'>,
  catalog: Catalog | null,
  before?: CloudCluster,
): [string, string][] {
  const { clusterFields, groupFields } = cloudProviders[input.provider]
  const pair = { entity: input, before }
  return [
    ...unknownSizes(clusterFields, catalog, pair),
    ...input.data.node.group.flatMap((_group, at) =>
      unknownSizes(groupFields, catalog, { ...pair, prefix: `data.node.group.${at}.` }),
    ),
  ]
}

function namesTwice({ data }: CloudClusterInput): string[] {
  return repeated(data.disks.map(({ name }) => name))
}
const repeated = (names: string[]): string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
]

/** Google accepts a disk's name, path and URL alike, with its project's name or number. */
const partsOf = (id: string): string[] => {
  const parts = sameId(id).split('/')
  const place = Math.max(parts.lastIndexOf('zones'), parts.lastIndexOf('regions'))
  return parts.slice(Math.max(place, 0)).filter((part) => part !== '' && part !== '.')
}
export function mayBeSameDisk(one: string, other: string): boolean {
  const [short, long] = [partsOf(one), partsOf(other)].toSorted((a, b) => a.length - b.length)
  return short !== undefined && short.length > 0 && short.join('/') === long?.slice(-short.length).join('/')
}

/** Errors for existing disks that someone else's cluster left behind, or that a cluster uses now. */
export function othersDisks(
  me: Pick<Caller, 'id' | 'role'>,
  disks: Disk[],
  clusters: CloudCluster[],
  before?: CloudCluster,
): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [at, { id }] of disks.entries()) {
    const holds = (ids: { id: string }[]) => ids.some((one) => mayBeSameDisk(one.id, id))
    if (id === '' || before?.data.disks.some((one) => sameId(one.id) === sameId(id))) continue
    const used = clusters.filter(({ deployed }) => holds(Object.values(deployed?.disks ?? {})))
    const kept = clusters.filter(({ kept_ids }) => holds(kept_ids))
    if (used.some((one) => one.id !== before?.id)) fields[`disks.${at}.id`] = 'A cluster uses this disk'
    else if (!kept.every((cluster) => isMine(me, cluster)))
      fields[`disks.${at}.id`] = 'This disk belongs to another user'
  }
  return fields
}

/** Everything that is known to be impossible in this cloud without querying it. */
export const impossibleOf = (
  { provider, info, data }: Pick<CloudClusterInput, 'provider' | 'info' | 'data'>,
  catalog: Pick<Catalog, 'regions' | 'sizes'> | null,
  stack: StackChoices | null,
): Problem[] => {
  const { sizes = [], regions = [] } = catalog ?? {}
  return impossibleIn(
    { ...cloudProviders[provider], instanceSizes: sizes, regions },
    { info, data },
    stack && imageOfStack(stack, sizes),
  )
}

export function refuseImpossible(problems: Problem[]): void {
  if (problems.length === 0) return
  const labels = [...new Set(problems.map(([, message]) => message.replace(/\.$/, '')))]
  fail('bad_input', {
    message: `Edit the cluster first: ${labels.join('. ')}`,
    fields: Object.fromEntries(problems),
  })
}

/** Problems that a change adds; existing ones are left to Plan. */
export const newProblems = (before: Problem[], after: Problem[]): Problem[] => {
  const known = new Set(before.map((problem) => problem.join(' ')))
  return after.filter((problem) => !known.has(problem.join(' ')))
}

/** System disks of existing machines that would become smaller. */
export function smallerRoots({ data }: CloudClusterInput, before: CloudCluster): Problem[] {
  const machines = before.deployed?.machines ?? []
  const of = (role: 'head' | 'node', size: number) => (machines.some((one) => one.role === role) ? size : 0)
  const { server, node } = before.data
  return shrunkSystemDisks(data, {
    server: of('head', server.volume_size),
    node: of('node', node.volume_size),
  })
}

/** No cloud shrinks a disk: some would recreate it empty. */
export function smallerDisks({ data }: CloudClusterInput, before: CloudCluster): string | null {
  const there = before.deployed?.disks ?? {}
  const smaller = data.disks.filter(({ name, size }) => size < (there[name]?.size ?? 0))
  if (smaller.length === 0) return null
  return smaller
    .map(({ name }) => `The disk ${name} is ${there[name]?.size} GB and cannot be made smaller`)
    .join('. ')
}

/** Clouds can neither add these to an existing machine nor remove them. */
const fixedTraits = ['efa', 'compact', 'tier1', 'rdma', 'spot'] as const

/** Errors for edits that would recreate nodes: these may run jobs, so people remove them first. */
export function fixedOnExisting(input: CloudClusterInput, before: CloudCluster): Record<string, string> {
  const exist = new Set(before.deployed?.machines.map(({ name }) => name))
  const old = new Map(everyNode(before).map((node) => [node.name, node]))
  const nodes = everyNode({
    data: input.data,
    info: { ...before.info, node_prefix: input.info.node_prefix },
  })
  const fields: Record<string, string> = {}
  for (const index of input.data.node.group.keys())
    for (const trait of fixedTraits) {
      const differ = nodes.filter(
        (node) =>
          node.group === index && exist.has(node.name) && old.get(node.name)?.[trait] === !node[trait],
      )
      if (differ.length > 0)
        fields[`cluster.data.node.group.${index}.${trait}`] =
          `Not possible on existing machines. Remove ${differ.map(({ name }) => name).join(', ')} first`
    }
  return fields
}

const isMissing = (field: Field, entity: object): boolean => {
  if (!field.required) return false
  if (field.when && !field.when.is.includes(String(valueAt(entity, field.when.path)))) return false
  const value = valueAt(entity, field.path) || (field.or !== undefined && valueAt(entity, field.or))
  return value === undefined || value === false || value === '' || value === 0
}

/** What is missing before a cluster can be planned or deployed; an incomplete one can still be saved. */
export function refuseUnfinished(cluster: CloudCluster): void {
  const { clusterFields, groupFields } = cloudProviders[cluster.provider]
  const missing = clusterFields
    .filter((field) => isMissing(field, cluster))
    .map(({ path, label }) => [path, label])
  for (const [index, group] of cluster.data.node.group.entries())
    for (const field of groupFields.filter((one) => group.count > 0 && isMissing(one, group)))
      missing.push([`data.node.group.${index}.${field.path}`, `${field.label} of node group ${index + 1}`])
  if (missing.length === 0) return
  const fields = Object.fromEntries(missing.map(([path = '', label = '']) => [path, `${label} is missing`]))
  fail('wrong_state', { message: `Edit the cluster first: ${Object.values(fields).join('. ')}`, fields })
}

export function refuseUnknownNodes(cluster: CloudCluster, nodes: string[], up: boolean): void {
  const names = everyNode(cluster).map(({ name }) => name)
  const unknown = nodes.filter((name) => !names.includes(name))
  if (unknown.length > 0)
    fail('bad_input', { fields: { nodes: `This cluster has no node ${unknown.join(', ')}` } })
  const exist = new Set(cluster.deployed ? presentNodes(cluster.deployed) : [])
  const already = nodes.filter((name) => exist.has(name) === up)
  if (already.length === nodes.length)
    fail('wrong_state', { message: `${up ? 'Already up' : 'Not up'}: ${already.join(', ')}` })
}

/** The cluster's data with the new sizes. */
export function resized(cluster: CloudCluster, { server, groups = [] }: Resize, catalog: Catalog | null) {
  const { data } = cluster
  const unknown = groups.filter(({ group }) => !data.node.group[group])
  if (unknown.length > 0) fail('bad_input', { fields: { 'size.groups': `No group ${unknown[0]?.group}` } })
  if (!server && groups.length === 0) fail('bad_input', { fields: { size: 'Choose what to resize' } })
  const sized = {
    ...data,
    server: { ...data.server, ...server },
    node: {
      ...data.node,
      group: data.node.group.map((group, index) => {
        const { group: _place, ...changed } = groups.find((one) => one.group === index) ?? { group: index }
        return { ...group, ...changed }
      }),
    },
  }
  const provider = cloudProviders[cluster.provider]
  const instanceSizes = catalog?.sizes ?? []
  const outside = [
    ...clusterOutsideLimits({ ...provider, instanceSizes }, { data: sized }),
    ...missingSizes({ provider: cluster.provider, data: sized }, catalog, cluster),
  ]
  if (outside.length > 0) fail('bad_input', { fields: Object.fromEntries(outside) })
  return sized
}
