import { createHash } from 'node:crypto'
import { allowsEveryone, ANYWHERE } from '@flotilla/contract/clusters/ranges'
import { CLOUD_RANGE } from '@flotilla/contract/limits'
import { HEAD_ADDRESS, SUBNET_RANGES } from '../../cloud-init/user-data'
import { fail } from '../../fail'
import type { Deployment } from '../provider'

/** The arguments of a block. A nested block is an object; a block that may be repeated is a list of objects. */
export type Body = { [argument: string]: unknown }

/** An OpenTofu module in the JSON syntax. Everything that users choose is passed through its variables. */
export type Module = {
  terraform: {
    required_version: string
    required_providers: Record<string, { source: string; version: string }>
  }
  provider: Record<string, Body>
  variable: Record<string, { type: string; sensitive?: boolean }>
  locals: Record<string, string>
  /** Omitted if there are no data sources, because an empty one would be an error. */
  data?: Record<string, Record<string, Body>>
  resource: Record<string, Record<string, Body>>
  output: Record<'head' | 'nodes' | 'disks', { value: unknown }>
}

/** An expression in a string of the JSON syntax. */
export const $ = (expression: string) => `\${${expression}}`

/** The name of a cluster's resource. */
export const prefixed = (suffix: string) => `\${var.prefix}-${suffix}`

export const settings = (name: string, source: string, version: string): Module['terraform'] => ({
  // State encryption was added in 1.7.
  required_version: '>= 1.7.0',
  required_providers: { [name]: { source, version } },
})

/** The disks to create; the others already exist and are only attached. */
export const newDisks = $('{for name, disk in var.disks : name => disk if disk.id == ""}')
export const diskId = (made: string) => $(`each.value.id == "" ? ${made}[each.key].id : each.value.id`)
/** `hints` is an expression over `disk` and `id`. */
export const disksOutput = (made: string, hints: (id: string) => string) => {
  const id = `(disk.id == "" ? ${made}[name].id : disk.id)`
  return $(`{for name, disk in var.disks : name => {id = ${id}, size = disk.size, hints = [${hints(id)}]}}`)
}

/** Variables with their types. */
export const typed = (types: Record<string, string>): Module['variable'] =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]))

/** The cloud-init user data, which contains secrets. */
export const userDataVariables: Module['variable'] = {
  head_user_data: { type: 'string', sensitive: true },
  node_user_data: { type: 'map(string)', sensitive: true },
}

/** The variables of every cloud's module. */
export const commonVariables: Module['variable'] = {
  ...typed({ prefix: 'string', tags: 'map(string)', ssh_public_key: 'string' }),
  ...userDataVariables,
}

export const commonValues = ({ prefix, tags, sshPublicKey }: Deployment) => ({
  prefix,
  tags,
  ssh_public_key: sshPublicKey,
})

/**
 * For clouds that require an account. The console uses another account, which cloud-init creates; this one is for
 * recovery.
 */
export const RESCUE_ACCOUNT = 'cloudadmin'

export const SSH_PORT = 22

/**
 * An optional block. It must not refer to its iterator, so that evaluating the module only requires knowing whether
 * there is an element.
 */
export const dynamic = (block: string, condition: string, content: Body) => ({
  [block]: { for_each: $(`${condition} ? ["there"] : []`), content },
})

/** A block for each element of a list, which its content refers to as `<block>.value`. */
export const repeated = (block: string, list: string, content: Body) => ({
  [block]: { for_each: $(list), content },
})

/** A `for_each` map with one entry if the condition holds, otherwise none. */
export const when = <Value>(wanted: boolean, key: string, value: Value): Record<string, Value> =>
  wanted ? { [key]: value } : {}

/** Creates a whole network, creates a subnet in an existing network, or uses an existing subnet. */
export function chooseNetwork({ id, data }: Deployment) {
  const { vpc_id, vcn_id, network_id, subnet_id } = data.network
  const network = vpc_id || vcn_id || network_id
  return {
    network,
    subnet: subnet_id,
    made: when(!network && !subnet_id, 'made', data.vcn_cidr || CLOUD_RANGE),
    /** Which part of the network's range the subnet gets: clusters in the same network should get different parts. */
    inside: when(Boolean(network) && !subnet_id, 'made', PARTS + (digest(id) % PARTS)),
  }
}

/** Subnets that are created in an existing network are in the upper half of its range, which is less often in use. */
const PART_BITS = 6
const PARTS = 2 ** (PART_BITS - 1)
export const partOf = (range: string) => `cidrsubnet(${range}, ${PART_BITS}, each.value)`

/** The clouds have different fields for an existing firewall. */
export const givenFirewall = ({ data }: Deployment) =>
  data.network.security_group_id || data.network.firewall_id

/** The ranges that may connect over SSH and OpenVPN; empty if the user supplies a firewall. */
export function allowedSources(deployment: Deployment): { ssh: string[]; vpn: string[] } {
  const { network, server } = deployment.data
  if (givenFirewall(deployment)) return { ssh: [], vpn: [] }
  const ranges = allowsEveryone(network.allowed_ranges) ? [ANYWHERE] : [...new Set(network.allowed_ranges)]
  return { ssh: ranges, vpn: server.openvpn ? ranges : [] }
}

/** For clouds with a rule per range. The rule for everyone keeps the key that it had before the field existed. */
export const rulesFor = (ranges: string[]): Record<string, string> =>
  Object.fromEntries(ranges.map((range) => [range === ANYWHERE ? 'made' : range, range]))

/** For clouds with one rule for all ranges. */
export const ruleFor = (ranges: string[]): Record<string, string[]> => when(ranges.length > 0, 'made', ranges)

/**
 * Assigns each disk a slot that it keeps when other disks are added or removed, because a disk would have to be
 * detached to move it. Disks that are earlier in the list were added earlier and keep their slots.
 */
export function slots(names: string[], count: number): Record<string, number> {
  const taken = new Map<number, string>()
  for (const name of names) {
    let slot = digest(name) % count
    while (taken.has(slot)) slot = (slot + 1) % count
    taken.set(slot, name)
  }
  return Object.fromEntries([...taken].map(([slot, name]) => [name, slot]))
}

export const digest = (text: string) => createHash('sha256').update(text).digest().readUInt32BE(0)

/** a to z, then aa to az, and so on: how Linux and the clouds name disks. */
export const letters = (index: number): string =>
  (index < 26 ? '' : letters(Math.floor(index / 26) - 1)) + String.fromCodePoint(97 + (index % 26))

/** Each module sets `local.networks` to the ranges of its machines' subnets, whether they are created or exist. */
const withNetworks = (text: string) => `replace(${text}, "${SUBNET_RANGES}", join(" ", local.networks))`
export const headUserData = withNetworks('var.head_user_data')
/** The user data of nodes: only the module knows the head node's address. */
export const nodeUserData = withNetworks(
  `replace(var.node_user_data[each.key], "${HEAD_ADDRESS}", local.head_ip)`,
)

/** Variables that contain secrets: they are only passed in the environment. */
export const secretVariables = ({ headUserData: text, nodeUserData: texts }: Deployment) => ({
  head_user_data: text,
  node_user_data: texts,
})

/** Maps nodes and disks by name, so that removing one does not affect the others. */
export const byName = <Item extends { name: string }, Value>(
  items: Item[],
  value: (item: Item) => Value,
): Record<string, Value> => Object.fromEntries(items.map((item) => [item.name, value(item)]))

/** Zero and empty text mean that the cloud decides. */
export const orNull = <Value extends string | number>(value: Value) => value || null

export const refuse = (path: string, message: string): never =>
  fail('bad_input', { message, fields: { [path]: message } })

export const noImage = (osType: string, what: string): never =>
  refuse('info.os-type', `No public image of ${osType} for ${what}. Choose another one or a stack.`)
