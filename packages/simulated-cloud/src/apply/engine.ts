import path from 'node:path'
import { cloudOf } from '../clouds/registry'
import { strikes, type FaultName } from '../world/faults'
import type { Emit } from '../emit'
import { openWorld, type World } from '../world/world'

/** What a command works with. */
export interface Engine {
  /** The workspace. */
  folder: string
  env: NodeJS.ProcessEnv
  emit: Emit
  /** How slow everything is: 1 is as it comes, 0 does not wait at all. */
  pace: number
  clusterId: string | null
  worldOf(type: string): World
  strikes(fault: FaultName): Promise<boolean>
  /** Set when someone wants it to end. */
  stopping(): boolean
}

export function engineOf(given: {
  folder: string
  env: NodeJS.ProcessEnv
  emit: Emit
  clusterId: string | null
  stopping: () => boolean
}): Engine {
  const dir = given.env.SIMULATED_CLOUD_DIR ?? path.join(given.folder, 'simulated-cloud')
  const worlds = new Map<string, World>()
  return {
    ...given,
    pace: Number(given.env.SIMULATED_CLOUD_PACE ?? 1),
    worldOf(type) {
      const { name } = cloudOf(type)
      const world = worlds.get(name) ?? openWorld(path.join(dir, name))
      worlds.set(name, world)
      return world
    },
    strikes: (fault) => strikes(dir, given.clusterId, fault),
  }
}
