import type { CloudResource } from '@flotilla/contract/clusters/cloud'
import { lift } from '../language/evaluate'
import { asText, isObject, type Value, type Values } from '../language/values'

/** What only the cloud decides. While a plan is made, nothing of it is known. */
export interface Seed {
  id: Value
  privateIp: Value
  publicIp: Value
  /** By chance, and different for everything. */
  token: Value
}

export interface Given {
  config: Values
  seed: Seed
  region: string
  /** The account, subscription, project or tenancy. */
  account: string
}

/** One type of thing that a cloud has. */
export interface Kind {
  kind: CloudResource['kind']
  part?: true
  /** How long it takes to make one. */
  ms: number
  /** From what was requested and the token, both known by then. */
  id(given: Given): Value
  /** What can be read of it besides what was requested. */
  gives?(given: Given): Values
  /** Why the cloud would not make it as asked for; empty if it would. */
  refuses?(config: Values): string
  /** What cannot be changed in place. */
  fixed?: string[]
  /** In which subnet it has an address; empty if it has none. */
  network?(config: Values): Value
  /** The template with what it does not say itself. */
  startedFrom?(config: Values): Value
  /** Others cannot be without it while they exist, so it is not deleted before them. Networks always are so. */
  held?: true
  /** The private address that was asked for, if one was. */
  privateAddress?(config: Values): Value
  /** It has the address of this other thing. */
  addressOf?(config: Values): Value
  /** It has this public address, which is a thing of its own. */
  publicAddressOf?(config: Values): Value
  isPublic?(config: Values): boolean
  /** The machine that has mounted it. */
  mountedOn?(config: Values): Value
  sizeGb?(config: Values): Value
}

type Failure = 'badCredential' | 'quota' | 'capacity' | 'bootTimeout' | 'busyDisk'

/** What a cloud is like. */
export interface Cloud {
  /** Before the names of all its types. */
  prefix: string
  kinds: Record<string, Kind>
  /** For types of it that we know nothing particular about. */
  other: Kind
  data: Record<string, (given: Pick<Given, 'config' | 'region' | 'account'>) => Values>
  account(env: NodeJS.ProcessEnv): string
  region(provider: Values, config: Values): string
  /** The tags of a thing. */
  tags(config: Values): Values
  /** How often its provider retries when there is no capacity, unless the module says otherwise. */
  attempts?: number
  /** The range of subnets that exist without us, and what the cloud says of an address that it does not give. */
  given?: { range: string; outside(address: string, range: string): string; taken(address: string): string }
  /** In the cloud's own words, which name the kind of failure. */
  failures: Record<Failure, string>
}

/** Text of several parts, some of which may not be known yet. */
export const text = (...parts: Value[]): Value => lift(parts, (plain) => plain.map(asText).join(''))

/** The first part of something random. */
export const cut = (value: Value, length: number): Value =>
  lift([value], ([plain = '']) => asText(plain).slice(0, length))

export const objectAt = (config: Values, name: string): Values => {
  const value = config[name]
  return isObject(value) ? value : {}
}

/** The blocks of a name; a single one is a list of one by then. */
export const blocksAt = (config: Values, name: string): Values[] => {
  const value = config[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}

export const textAt = (config: Values, name: string, otherwise = ''): string => {
  const value = config[name]
  return typeof value === 'string' ? value : otherwise
}

export const valueAt = (config: Values, name: string): Value => config[name] ?? null
