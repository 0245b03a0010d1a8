import type { Seed } from '../clouds/kind'
import { cloudOf } from '../clouds/registry'
import { unknown, type Values } from '../language/values'

export interface Place {
  region: string
  account: string
  /** How often the provider asks for a machine that the cloud does not have. */
  attempts: number
}

/** Where things of a type are, by the settings of its provider and its own. */
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

/** While a plan is made, the cloud has decided nothing. */
export const undecided: Seed = { id: unknown, privateIp: unknown, publicIp: unknown, token: unknown }

/** Everything that can be read of a thing. */
export function describe(type: string, config: Values, seed: Seed, place: Place): Values {
  const { kind } = cloudOf(type)
  return { ...config, ...kind.gives?.({ config, seed, ...place }), id: seed.id }
}
