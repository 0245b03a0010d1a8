import { createHash } from 'node:crypto'
import { allowsEveryone, ANYWHERE } from '@flotilla/contract/clusters/ranges'
import { CLOUD_RANGE } from '@flotilla/contract/limits'
import { HEAD_ADDRESS, SUBNET_RANGES } from '../../cloud-init/user-data'
import { fail } from '../../fail'
import type { Deployment } from '../provider'

/** The arguments of a block. A nested block is an object; one that may be there several times, a list of them. */
export type Body = { [argument: string]: unknown }

/** An OpenTofu module in JSON syntax. Everything that users choose comes in through its variables. */
export type Module = {
  terraform: {
    required_version: string
    required_providers: Record<string, { source: string; version: string }>
  }
  provider: Record<string, Body>
  variable: Record<string, { type: string; sensitive?: boolean }>
  locals: Record<string, string>
  /** Left out where nothing is looked up: empty, it would be an error. */
  data?: Record<string, Record<string, Body>>
  resource: Record<string, Record<string, Body>>
  output: Record<'head' | 'nodes' | 'disks', { value: unknown }>
}

/** An expression, as it stands in a string of the JSON syntax. */
export const $ = (expression: string) => `\${${expression}}`

/** The name of something of the cluster. */
export const prefixed = (suffix: string) => `\${var.prefix}-${suffix}`

export const settings = (name: string, source: string, version: string): Module['terraform'] => ({
  // State encryption came with 1.7.
  required_version: '>= 1.7.0',
  required_providers: { [name]: { source, version } },
})

/** The disks that are made; the others exist already and are only attached. */
export const newDisks = $('{for name, disk in var.disks : name => disk if disk.id == ""}')
export const diskId = (made: string) => $(`each.value.id == "" ? ${made}[each.key].id : each.value.id`)
/** `hints` is an expression over `disk` and `id`. */
export const disksOutput = (made: string, hints: (id: string) => string) => {
  const id = `(disk.id == "" ? ${made}[name].id : disk.id)`
  return $(`{for name, disk in var.disks : name => {id = ${id}, size = disk.size, hints = [${hints(id)}]}}`)
}

/** Variables by their types. */
export const typed = (types: Record<string, string>): Module['variable'] =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]))

/** The texts for cloud-init, which hold secrets. */
export const userDataVariables: Module['variable'] = {
  head_user_data: { type: 'string', sensitive: true },
  node_user_data: { type: 'map(string)', sensitive: true },
}

/** The variables that every cloud gets. */
export const commonVariables: Module['variable'] = {
  ...typed({ prefix: 'string', tags: 'map(string)', ssh_public_key: 'string' }),
  ...userDataVariables,
}

export const commonValues = ({ prefix, tags, sshPublicKey }: Deployment) => ({
  prefix,
  tags,
  ssh_public_key: sshPublicKey,
})

/** For clouds that ask for an account. The console has another, which cloud-init makes; this one is for rescue. */
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

/** One entry when something is wanted, none otherwise: what `for_each` goes over. */
export const when = <Value>(wanted: boolean, key: string, value: Value): Record<string, Value> =>
  wanted ? { [key]: value } : {}

/** A network is made whole, or a subnet is made in one that exists, or one is taken as it is. */
export function chooseNetwork({ id, data }: Deployment) {
  const { vpc_id, vcn_id, network_id, subnet_id } = data.network
  const network = vpc_id || vcn_id || network_id
  return {
    network,
    subnet: subnet_id,
    made: when(!network && !subnet_id, 'made', data.vcn_cidr || CLOUD_RANGE),
    /** Which part of the network's range the subnet takes: clusters in one network are to take different ones. */
    inside: when(Boolean(network) && !subnet_id, 'made', PARTS + (digest(id) % PARTS)),
  }
}

/** Subnets made in a network that exists are in the upper half of its range, where few people put theirs. */
const PART_BITS = 6
const PARTS = 2 ** (PART_BITS - 1)
export const partOf = (range: string) => `cidrsubnet(${range}, ${PART_BITS}, each.value)`

/** Security groups are called differently by the clouds; the field is the same. */
export const givenFirewall = ({ data }: Deployment) =>
  data.network.security_group_id || data.network.firewall_id

/** The ranges that may connect by SSH and OpenVPN; none where the firewall is the user's own. */
export function allowedSources(deployment: Deployment): { ssh: string[]; vpn: string[] } {
  const { network, server } = deployment.data
  if (givenFirewall(deployment)) return { ssh: [], vpn: [] }
  const ranges = allowsEveryone(network.allowed_ranges) ? [ANYWHERE] : [...new Set(network.allowed_ranges)]
  return { ssh: ranges, vpn: server.openvpn ? ranges : [] }
}

/** For clouds with a rule for each range. Everyone's keeps the key of clusters that are older than the field. */
export const rulesFor = (ranges: string[]): Record<string, string> =>
  Object.fromEntries(ranges.map((range) => [range === ANYWHERE ? 'made' : range, range]))

/** For clouds with one rule for all ranges. */
export const ruleFor = (ranges: string[]): Record<string, string[]> => when(ranges.length > 0, 'made', ranges)

/**
 * A place for each disk that stays its own when others come and go: moving a disk means to take it off.
 * Who is first in the list was first in the cluster and keeps its place.
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

/** a to z, then aa to az, and on: how Linux and the clouds number disks. */
export const letters = (index: number): string =>
  (index < 26 ? '' : letters(Math.floor(index / 26) - 1)) + String.fromCodePoint(97 + (index % 26))

/** Each module has the ranges of its machines' subnets as `local.networks`, whether these are made or given. */
const withNetworks = (text: string) => `replace(${text}, "${SUBNET_RANGES}", join(" ", local.networks))`
export const headUserData = withNetworks('var.head_user_data')
/** The user data of nodes: only here is the address of the head node known. */
export const nodeUserData = withNetworks(
  `replace(var.node_user_data[each.key], "${HEAD_ADDRESS}", local.head_ip)`,
)

/** Variables that hold secrets: they go in by the environment only. */
export const secretVariables = ({ headUserData: text, nodeUserData: texts }: Deployment) => ({
  head_user_data: text,
  node_user_data: texts,
})

/** Nodes and disks by name, so that one that goes leaves the others alone. */
export const byName = <Item extends { name: string }, Value>(
  items: Item[],
  value: (item: Item) => Value,
): Record<string, Value> => Object.fromEntries(items.map((item) => [item.name, value(item)]))

/** Zero and the empty text mean that the cloud decides. */
export const orNull = <Value extends string | number>(value: Value) => value || null

export const refuse = (path: string, message: string): never =>
  fail('bad_input', { message, fields: { [path]: message } })

export const noImage = (osType: string, what: string): never =>
  refuse('info.os-type', `No public image of ${osType} for ${what}. Choose another one or a stack.`)
