import type { CloudResource } from '@flotilla/contract/clusters/cloud'
import { lift } from '../language/evaluate'
import { asText, isObject, type Value, type Values } from '../language/values'

/** Values that only the cloud determines; all of them are unknown during planning. */
export interface Seed {
  id: Value
  privateIp: Value
  publicIp: Value
  /** A random value, unique to each resource. */
  token: Value
}

export interface ResourceContext {
  config: Values
  seed: Seed
  region: string
  /** The account, subscription, project or tenancy. */
  account: string
}

/** A resource type of a cloud. */
export interface Kind {
  kind: CloudResource['kind']
  part?: true
  /** How long creating one takes. */
  ms: number
  /** The id, made from the configuration and the token, which are both known by then. */
  id(given: ResourceContext): Value
  /** Computed attributes in addition to the configuration. */
  gives?(given: ResourceContext): Values
  /** Why the cloud would reject the configuration; empty if it would not. */
  refuses?(config: Values): string
  /** Attributes that force replacement when they change. */
  fixed?: string[]
  /** The subnet in which it gets an address; empty if it gets none. */
  network?(config: Values): Value
  /** The launch template that supplies attributes missing from the configuration. */
  startedFrom?(config: Values): Value
  /**
   * Dependent resources need it as long as they exist, so it cannot be deleted before them. This is always so for
   * networks.
   */
  held?: true
  /** The requested private address, if any. */
  privateAddress?(config: Values): Value
  /** The other resource whose address it has. */
  addressOf?(config: Values): Value
  /** The resource that is its public address. */
  publicAddressOf?(config: Values): Value
  isPublic?(config: Values): boolean
  /** The machine that it is attached to. */
  mountedOn?(config: Values): Value
  sizeGb?(config: Values): Value
}

type Failure = 'badCredential' | 'quota' | 'capacity' | 'bootTimeout' | 'busyDisk'

/** The behavior of a cloud. */
export interface Cloud {
  /** Prefix of all its types. */
  prefix: string
  kinds: Record<string, Kind>
  /** Fallback for types that are not described here. */
  other: Kind
  data: Record<string, (given: Pick<ResourceContext, 'config' | 'region' | 'account'>) => Values>
  account(env: NodeJS.ProcessEnv): string
  region(provider: Values, config: Values): string
  /** The tags of a resource. */
  tags(config: Values): Values
  /** How often its provider retries when there is no capacity, unless the module sets another number. */
  attempts?: number
  /** The range of existing subnets, and the cloud's errors for an address that is outside the range or taken. */
  given?: { range: string; outside(address: string, range: string): string; taken(address: string): string }
  /** The cloud's own error messages, from which the console classifies failures. */
  failures: Record<Failure, string>
}

/** Concatenates parts, some of which may be unknown. */
export const text = (...parts: Value[]): Value => lift(parts, (plain) => plain.map(asText).join(''))

/** The beginning of a random value. */
export const cut = (value: Value, length: number): Value =>
  lift([value], ([plain = '']) => asText(plain).slice(0, length))

export const objectAt = (config: Values, name: string): Values => {
  const value = config[name]
  return isObject(value) ? value : {}
}

/** The blocks with a name; a single block is already wrapped in a list. */
export const blocksAt = (config: Values, name: string): Values[] => {
  const value = config[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}

export const textAt = (config: Values, name: string, otherwise = ''): string => {
  const value = config[name]
  return typeof value === 'string' ? value : otherwise
}

export const valueAt = (config: Values, name: string): Value => config[name] ?? null
