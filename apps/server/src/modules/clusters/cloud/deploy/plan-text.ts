import type { CloudResource, PlannedChange } from '@flotilla/contract/clusters/cloud'
import { sameId } from '../../../../providers/found'
import type { FoundResource } from '../../../../providers/provider'
import type { ResourceChange, StateResource } from '../../../../engines/tofu/show'
import type { CloudCluster } from '../../stored-cluster'

const ATTACHMENT = /(_attachment|_attached_disk)$/

/** User-facing names of our modules' resources, by the last part of their type. */
const kinds: [RegExp, CloudResource['kind'], string][] = [
  [/(_instance|_virtual_machine)$/, 'machine', 'machine'],
  [ATTACHMENT, 'other', 'attachment'],
  [/(_volume|_disk|_managed_disk)$/, 'volume', 'disk'],
  [/(_eip|_public_ip|_address)$/, 'address', 'public address'],
  [/(_vpc|_virtual_network|_network|_vcn)$/, 'network', 'network'],
  [/(_subnet|_subnetwork)$/, 'network', 'subnet'],
  [/(_security_group|_firewall|_security_list)$/, 'network', 'firewall'],
  [/_rule$/, 'network', 'firewall rule'],
  [/(_image|_ami)$/, 'image', 'image'],
  [/_resource_policy$/, 'other', 'placement policy'],
  [/_compute_cluster$/, 'other', 'RDMA network'],
]
const kindOf = (type: string) => kinds.find(([pattern]) => pattern.test(type))

const resourceKind = (type: string): CloudResource['kind'] => kindOf(type)?.[1] ?? 'other'

const upperCaseAcronyms = (text: string): string =>
  text.replaceAll(/\b(dns|efa|eip|ip|lpg|nat|nfs|ssh|vnic|vpn)\b/g, (word) => word.toUpperCase())

/** `aws_instance.node["node1"]` is node node1. */
function whatItIs({ type, name, key }: { type: string; name: string; key: string | null }): string {
  const kind = kindOf(type)
  const word = kind?.[2] ?? upperCaseAcronyms(type.replace(/^[a-z]+_/, '').replaceAll('_', ' '))
  if (kind?.[1] === 'machine') return name === 'head' ? 'head node' : `node ${key ?? name}`
  if (name === 'head') return `${word} of the head node`
  if (name === 'node') return `${word} of node ${key ?? ''}`.trim()
  // Resources that exist once have the key `made`: their own name distinguishes them.
  const which = key === null || key === 'made' ? upperCaseAcronyms(name) : key
  if (kind?.[1] === 'address' && which.toLowerCase() === 'nat') return `${word} of the NAT gateway`
  if (which === 'network' || which === 'cluster') return word
  return which === 'public' || which === 'private' ? `${which} ${word}` : `${word} ${which}`
}

const actions = {
  create: 'add',
  update: 'change',
  replace: 'replace',
  delete: 'destroy',
} as const satisfies Record<string, PlannedChange['action']>
const isShown = (action: string): action is keyof typeof actions => action in actions

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const shown = (value: unknown): string => {
  if (value === null || value === undefined) return 'nothing'
  const written = typeof value === 'string' ? value : JSON.stringify(value)
  return written.length > 60 ? `${written.slice(0, 57)}...` : written || 'nothing'
}

/** The values of a resource by their path: `tags.project`. */
function leaves(value: unknown, at = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[at, value]]
  return Object.entries(value).flatMap(([name, part]) => leaves(part, at ? `${at}.${name}` : name))
}

/** Redundant: the provider's copy of the tags, tags on the parts of a machine, and long setup scripts. */
const omitted = /^tags_all\b|\.tags\.|user_data|custom_data/

/** What changes in a resource: `instance_type: t3.large to t3.xlarge`. */
function detailOf({ before, after, unknown, replacedBecause }: ResourceChange): string {
  const [old, fresh] = [new Map(leaves(before ?? {})), new Map(leaves(after ?? {}))]
  const changed = [...new Set([...old.keys(), ...fresh.keys()])]
    .filter((at) => old.get(at) !== fresh.get(at) && !omitted.test(at))
    .filter((at) => !unknown.includes(at.split('.')[0] ?? ''))
    .map((at) => `${at}: ${shown(old.get(at))} to ${shown(fresh.get(at))}`)
  const because = replacedBecause.length > 0 ? [`replaced because of ${replacedBecause.join(', ')}`] : []
  return [...because, ...changed.slice(0, 5)].join('; ')
}

/** The id of the disk that is attached, which only an existing disk has. */
const attachedDisk = ({ type, after }: ResourceChange): string =>
  ATTACHMENT.test(type) ? text(after?.volume_id) || text(after?.managed_disk_id) || text(after?.disk) : ''
function detailShown(change: ResourceChange): string {
  if (change.action === 'create') return attachedDisk(change)
  return change.action === 'update' || change.action === 'replace' ? detailOf(change) : ''
}

const order: CloudResource['kind'][] = ['machine', 'volume', 'address', 'network', 'image', 'other']
/** The engine's plan in readable form: machines and disks first, then the rest. */
export function describeChanges(changes: ResourceChange[]): PlannedChange[] {
  return changes
    .flatMap((change): PlannedChange[] => {
      if (!isShown(change.action)) return []
      const action = actions[change.action]
      const gone = action === 'destroy' || action === 'replace'
      const kind = resourceKind(change.type)
      return [
        {
          action,
          address: change.address,
          type: change.type,
          what: whatItIs(change),
          dataLoss: gone && (kind === 'machine' || kind === 'volume'),
          detail: detailShown(change),
        },
      ]
    })
    .toSorted((a, b) => order.indexOf(resourceKind(a.type)) - order.indexOf(resourceKind(b.type)))
}

export const countsOf = (changes: PlannedChange[]) => {
  const count = (action: PlannedChange['action']) => changes.filter((one) => one.action === action).length
  return { add: count('add'), change: count('change'), replace: count('replace'), destroy: count('destroy') }
}

/** A machine's size, under the name that each cloud has for it; null for other resources. */
function sizeIn({ values }: StateResource) {
  const instance_id =
    text(values.instance_type) || text(values.machine_type) || text(values.shape) || text(values.size)
  const [cut] = Array.isArray(values.shape_config) ? (values.shape_config as unknown[]) : []
  const of = (name: string) => Number(Reflect.get(Object(cut), name)) || 0
  return { instance_id, ocpus: of('ocpus'), mem: of('memory_in_gbs') }
}

/** What exists according to the engine's state. */
export const existing = (
  resources: StateResource[],
  priceOf: (machine: { instance_id: string; ocpus: number; mem: number }) => number | null = () => null,
): CloudResource[] =>
  resources
    .filter(({ mode }) => mode === 'managed')
    .map((resource) => {
      const { values, type, address } = resource
      const size = values.size ?? values.disk_size_gb ?? values.size_in_gbs
      return {
        id: text(values.id) || address,
        type,
        name: whatItIs(resource),
        kind: resourceKind(type),
        sizeGb: resourceKind(type) === 'volume' && Number(size) > 0 ? Number(size) : null,
        perHour: resourceKind(type) === 'machine' ? priceOf(sizeIn(resource)) : null,
      }
    })
    .toSorted(machinesFirst)

const machinesFirst = (a: CloudResource, b: CloudResource): number =>
  order.indexOf(a.kind) - order.indexOf(b.kind) || a.name.localeCompare(b.name)

/** Adds the disks that existed before: the engine only knows that they are attached. */
export function withAttached(known: CloudResource[], { data, deployed }: CloudCluster): CloudResource[] {
  const attached = data.disks.filter(({ name, id }) => id !== '' && deployed && name in deployed.disks)
  const disks = attached.map(({ name, id }) => ({
    id,
    type: 'existing',
    name: `disk ${name}`,
    kind: 'volume' as const,
    sizeGb: null,
    perHour: null,
  }))
  return [...known, ...disks].toSorted(machinesFirst)
}

/** Adds resources that have the cluster's tag but are not in the engine's state. */
export function withUntracked(known: CloudResource[], found: FoundResource[]): CloudResource[] {
  const ids = new Set(known.map(({ id }) => sameId(id)))
  const lost = found
    .filter(({ id }) => !ids.has(sameId(id)))
    .map(({ id, type, name, kind, sizeGb, perHour }) => ({
      id,
      type,
      name: name || id,
      kind,
      sizeGb,
      perHour,
    }))
  return [...known, ...lost].toSorted(machinesFirst)
}
