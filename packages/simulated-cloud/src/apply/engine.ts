import path from 'node:path'
import { cloudOf, type CloudName } from '../clouds/registry'
import { strikes, type FaultName } from '../world/faults'
import type { Emit } from '../emit'
import { withLock } from '../world/mutex'
import { openWorld, type World, type WorldItem } from '../world/world'

/** Checks the account's quotas: the cloud's error if the resource would exceed one, otherwise empty. */
export type MayHave = (requested: {
  dir: string
  cloud: Exclude<CloudName, 'builtin'>
  item: WorldItem
  others: WorldItem[]
}) => Promise<string>

/** The context of a command. */
export interface Engine {
  /** The workspace folder. */
  folder: string
  env: NodeJS.ProcessEnv
  emit: Emit
  /** Multiplier of all delays: 1 is normal, 0 means no delay. */
  pace: number
  clusterId: string | null
  worldOf(type: string): World
  strikes(fault: FaultName): Promise<boolean>
  /**
   * Adds or changes a resource if the quota allows it; serialized, so that no two resources take the last of a quota.
   */
  within(item: WorldItem, write: () => Promise<boolean>): Promise<{ refusal: string; written: boolean }>
  /** Whether the command was asked to stop. */
  stopping(): boolean
}

export function engineOf(given: {
  folder: string
  env: NodeJS.ProcessEnv
  emit: Emit
  clusterId: string | null
  stopping: () => boolean
  mayHave?: MayHave
}): Engine {
  const dir = given.env.SIMULATED_CLOUD_DIR ?? path.join(given.folder, 'simulated-cloud')
  const worlds = new Map<string, World>()
  const worldOf = (type: string): World => {
    const { name } = cloudOf(type)
    const world = worlds.get(name) ?? openWorld(path.join(dir, name))
    worlds.set(name, world)
    return world
  }
  const { mayHave, ...rest } = given
  return {
    ...rest,
    pace: Number(given.env.SIMULATED_CLOUD_PACE ?? 1),
    worldOf,
    async within(item, write) {
      const { name } = cloudOf(item.type)
      const counts = ['machine', 'address', 'network'].includes(item.kind) && !item.part
      if (!mayHave || name === 'builtin' || !counts) return { refusal: '', written: await write() }
      return withLock(path.join(dir, name, 'quotas.lock'), async () => {
        const others = (await worldOf(item.type).known()).filter(({ id }) => id !== item.id)
        const refusal = await mayHave({ dir, cloud: name, item, others })
        return { refusal, written: refusal === '' && (await write()) }
      })
    },
    strikes: (fault) => strikes(dir, given.clusterId, fault),
  }
}
