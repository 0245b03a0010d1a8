import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { blocksAt, type Cloud, type Kind } from '../clouds/kind'
import { isWithin } from '../language/addresses'
import { cloudOf } from '../clouds/registry'
import { describe, type Place } from '../plan/describe'
import type { Engine } from './engine'
import { asText, bare, hasSecret, isObject, ModuleError, type Value, type Values } from '../language/values'
import type { Change } from '../plan/plan'
import type { Instance, KnownSeed } from '../state/state'
import { PUBLIC, type World, type WorldItem } from '../world/world'

/** An error from the cloud or a timeout. */
export class CloudError extends Error {
  /** The instance that exists despite the error. */
  readonly made: Instance | undefined
  constructor(message: string, made?: Instance) {
    super(message)
    this.made = made
  }
}

const known = (value: Value | undefined): string => (typeof value === 'string' ? value : '')

async function addressesFor(engine: Engine, type: string, kind: Kind, config: Values) {
  const world = engine.worldOf(type)
  const other = known(kind.addressOf?.(config))
  const shared = other === '' ? undefined : await world.get(other)
  const template = await world.get(known(kind.startedFrom?.(config)))
  const [nic] = blocksAt(template?.attributes ?? {}, 'network_interfaces')
  const named = kind.network?.({ ...nic, ...config }) ?? (kind.network ? 'default' : '')
  const subnet = known(named) || (named === '' ? '' : 'default')
  const given = known(kind.publicAddressOf?.(config))
  const address = given === '' ? undefined : await world.get(given)
  return {
    privateIp:
      shared?.seed.privateIp ?? (subnet === '' ? '' : await privateAddress(engine, type, subnet, config)),
    publicIp: kind.isPublic?.(config)
      ? await world.allocate('public', PUBLIC)
      : (address?.seed.publicIp ?? shared?.seed.publicIp ?? ''),
  }
}

/** Assigns an address within the subnet as clouds do; a requested address must be in its range and free. */
async function privateAddress(engine: Engine, type: string, subnet: string, config: Values): Promise<string> {
  const { cloud, kind } = cloudOf(type)
  const world = engine.worldOf(type)
  const [network, range] = [await wholeOf(world, subnet), await rangeOf(world, cloud, subnet)]
  const requested = known(kind.privateAddress?.(config))
  if (requested === '' || !cloud.given) return world.allocate(network, range)
  if (!isWithin(range, requested)) throw new CloudError(cloud.given.outside(requested, range))
  for (const other of await world.list()) {
    const place = known(cloudOf(other.type).kind.network?.(other.attributes))
    if (other.seed.privateIp === requested && place !== '' && (await wholeOf(world, place)) === network)
      throw new CloudError(cloud.given.taken(requested))
  }
  return world.allocate(network, range, requested)
}

const SOME_RANGE = '10.77.0.0/16'
/** Google's machines refer to a subnet by its URL. */
const idOf = (subnet: string) => subnet.replace(/^https:\/\/[^/]+\/compute\/v1\//, '')

async function rangeOf(world: World, cloud: Cloud, subnet: string): Promise<string> {
  const made = await world.get(idOf(subnet))
  if (!made) return (subnet === 'default' ? undefined : cloud.given?.range) ?? SOME_RANGE
  const { cidr_block, ip_cidr_range, address_prefixes } = made.attributes
  const prefix = Array.isArray(address_prefixes) ? address_prefixes[0] : undefined
  return known(cidr_block) || known(ip_cidr_range) || known(prefix) || SOME_RANGE
}

/** The network of a subnet: addresses are unique within a network, across its subnets. */
async function wholeOf(world: World, subnet: string): Promise<string> {
  const { vpc_id, vcn_id } = (await world.get(subnet))?.attributes ?? {}
  return known(vpc_id) || known(vcn_id) || subnet
}

/** Drops secret values, which the world does not store. */
const open = (attributes: Values): Values =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (hasSecret(value) ? [] : [[name, bare(value)]])),
  )

function nameOf(change: Change, config: Values, tags: Values): string {
  const named = [tags.Name, config.name, config.display_name, config.key_name, change.key, change.name]
  return named.map((one) => known(bare(one ?? null))).find((one) => one !== '') ?? ''
}

function itemOf(engine: Engine, change: Change, instance: Instance, place: Place): WorldItem {
  const { cloud, kind } = cloudOf(change.type)
  const config = instance.config
  const bareTags = bare(cloud.tags(config))
  const tags = isObject(bareTags) ? bareTags : {}
  const size = bare(kind.sizeGb?.(config) ?? null)
  const seed = instance.seed ?? { id: '', privateIp: '', publicIp: '', token: '' }
  return {
    id: seed.id,
    type: change.type,
    name: nameOf(change, config, tags),
    kind: kind.kind,
    part: kind.part === true,
    clusterId: known(tags.flotilla_cluster) || engine.clusterId,
    region: place.region,
    sizeGb: typeof size === 'number' ? size : null,
    power: kind.kind === 'machine' ? 'running' : null,
    attributes: open(instance.attributes),
    seed,
    createdAt: Date.now(),
  }
}

const instanceOf = (change: Change, config: Values, seed: KnownSeed, place: Place): Instance => ({
  mode: 'managed',
  type: change.type,
  name: change.name,
  key: change.key,
  address: change.address,
  attributes: describe(change.type, config, { ...seed }, place),
  config,
  dependencies: change.dependencies,
  seed,
  tainted: false,
})

/** How long a provider backs off in total: exponentially, ten times faster than the real one. */
const backoffMs = (attempts: number): number =>
  Array.from({ length: attempts - 1 }, (_, at) => Math.min(300, 2 ** at) * 100).reduce((a, b) => a + b, 0)

/** Creates a resource in the cloud; faults of machines only affect machines that may fail. */
export async function make(
  engine: Engine,
  change: Change,
  config: Values,
  place: Place,
  { mayFail }: { mayFail: boolean },
): Promise<Instance> {
  const { cloud, kind } = cloudOf(change.type)
  const isMachine = kind.kind === 'machine' && mayFail
  await sleep(kind.ms * engine.pace * 0.6)
  if (isMachine && (await engine.strikes('quota'))) throw new CloudError(cloud.failures.quota)
  if (isMachine && (await engine.strikes('capacity'))) {
    await sleep(backoffMs(place.attempts) * engine.pace)
    throw new CloudError(cloud.failures.capacity.replace('{attempts}', String(place.attempts)))
  }

  const refusal = kind.refuses?.(config) ?? ''
  if (refusal !== '') throw new CloudError(refusal)
  const token = randomBytes(16).toString('hex')
  const seed = { id: '', token, ...(await addressesFor(engine, change.type, kind, config)) }
  const id = asText(bare(kind.id({ config, seed, ...place })))
  const instance = instanceOf(change, config, { ...seed, id }, place)
  if (cloudOf(change.type).name !== 'builtin') {
    const item = itemOf(engine, change, instance, place)
    const world = engine.worldOf(change.type)
    const { refusal: over, written } = await engine.within(item, () => world.add(item))
    if (over !== '') throw new CloudError(over)
    if (!written) {
      throw new CloudError(
        `A resource with the ID "${id}" already exists - to be managed via OpenTofu this resource needs to be imported into the State.`,
      )
    }
  }
  await sleep(kind.ms * engine.pace * 0.4)
  if (isMachine && (await engine.strikes('bootTimeout'))) {
    throw new CloudError(cloud.failures.bootTimeout, { ...instance, tainted: true })
  }
  return instance
}

export async function alter(
  engine: Engine,
  change: Change,
  config: Values,
  prior: Instance,
  place: Place,
): Promise<Instance> {
  const { kind, name } = cloudOf(change.type)
  await sleep(kind.ms * engine.pace * 0.5)
  if (!prior.seed) throw new ModuleError(`${change.address} has no id`)
  const instance = instanceOf(change, config, prior.seed, place)
  if (name === 'builtin') return instance
  const world = engine.worldOf(change.type)
  const before = await world.get(prior.seed.id)
  if (!before) throw new CloudError(`${prior.seed.id} no longer exists`)
  const item = itemOf(engine, change, instance, place)
  const changed = { ...item, power: before.power, createdAt: before.createdAt }
  const { refusal } = await engine.within(changed, async () => {
    await world.change(changed)
    return true
  })
  if (refusal !== '') throw new CloudError(refusal)
  return instance
}

/** Deletes a resource; one that no longer exists counts as deleted. */
export async function unmake(
  engine: Engine,
  prior: Instance,
  { destroy }: { destroy: boolean },
): Promise<void> {
  const { cloud, kind, name } = cloudOf(prior.type)
  await sleep(kind.ms * engine.pace * 0.5)
  if (!prior.seed || name === 'builtin') return
  const world = engine.worldOf(prior.type)
  const item = await world.get(prior.seed.id)
  if (!item) return
  // When a plan removes a disk from a machine that stays, the machine unmounts it first; in a destroy, nothing does.
  if (destroy && (await isMounted(world, kind, prior.config))) throw new CloudError(cloud.failures.busyDisk)
  if (kind.kind === 'volume' && (await engine.strikes('leakedVolume'))) return
  const isHeld = kind.held || (kind.kind === 'network' && !kind.part)
  const user = isHeld ? await usedBy(world, item) : undefined
  if (user) {
    throw new CloudError(
      `DependencyViolation: ${item.id} has dependencies and cannot be deleted: ${user.type} ${user.id} still uses it.`,
    )
  }
  await world.remove(item)
}

async function isMounted(world: World, kind: Kind, config: Values): Promise<boolean> {
  const on = known(bare(kind.mountedOn?.(config) ?? null)).replace(/^https:\/\/[^/]+\/compute\/v1\//, '')
  return on !== '' && (await world.get(on))?.power === 'running'
}

export const mentions = (value: Value, names: Value[]): boolean => {
  if (typeof value === 'string') return names.includes(value)
  if (Array.isArray(value)) return value.some((one) => mentions(one, names))
  return isObject(value) && Object.values(value).some((one) => mentions(one, names))
}

/** Finds another resource of the same cluster that refers to this one and so prevents its deletion. */
export async function usedBy(world: World, item: WorldItem): Promise<WorldItem | undefined> {
  const names = [
    item.id,
    ...(typeof item.attributes.self_link === 'string' ? [item.attributes.self_link] : []),
  ]
  const others = await world.list(item.clusterId)
  return others.find((one) => one.id !== item.id && !one.part && mentions(one.attributes, names))
}
