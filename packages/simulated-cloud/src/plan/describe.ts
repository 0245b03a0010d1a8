import type { Seed } from '../clouds/kind'
import { cloudOf } from '../clouds/registry'
import { unknown, type Values } from '../language/values'

export interface Place {
  region: string
  account: string
  /** How often the provider retries when the cloud has no capacity. */
  attempts: number
}

/** The region and account of a type's resources, from the settings of the provider and the resource. */
export function placeOf(
  type: string,
  config: Values,
  { providers, env }: { providers: Record<string, Values>; env: NodeJS.ProcessEnv },
): Place {
  const { cloud } = cloudOf(type)
  const provider = providers[type.slice(0, type.indexOf('_'))] ?? {}
  const attempts = Number(provider.max_retries ?? cloud.attempts ?? 1)
  return { region: cloud.region(provider, config), account: cloud.account(env), attempts }
}

/** During planning, the cloud has not determined anything yet. */
export const undecided: Seed = { id: unknown, privateIp: unknown, publicIp: unknown, token: unknown }

/** All attributes of a resource. */
export function describe(type: string, config: Values, seed: Seed, place: Place): Values {
  const { kind } = cloudOf(type)
  return { ...config, ...kind.gives?.({ config, seed, ...place }), id: seed.id }
}
