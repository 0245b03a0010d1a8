import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { ProviderId } from '@flotilla/contract/site/config'
import { found } from '../providers/found'
import type { Driver, FoundResource } from '../providers/provider'
import { simulatedAccount } from './account'
import { clouds } from '@flotilla/simulated-cloud/clouds/registry'
import { strikes } from '@flotilla/simulated-cloud/world/faults'
import { mentions, usedBy } from '@flotilla/simulated-cloud/apply/make'
import { openWorld, type World, type WorldItem } from '@flotilla/simulated-cloud/world/world'
import { simulatedQuotas } from './quotas'
import { makeTerms } from './terms'
import { makeZoneFor } from './zones'

export interface SimulatedDriverOptions {
  /** SIMULATED_CLOUD_DIR of the engine. */
  dir: string
  provider: ProviderId
  region?: string
  /** SIMULATED_CLOUD_PACE of the engine. */
  pace?: number
}

const powerMs = 150
/** The zones in which fast restore is turned on, by image. */
const Restores = z.record(z.string(), z.array(z.string()))

const asFound = ({ attributes: has, kind, ...item }: WorldItem): FoundResource => {
  const size = [has.instance_type, has.machine_type, has.size, has.shape].find(
    (one) => typeof one === 'string',
  )
  const cut = [has.shape_config].flat().find((one) => typeof one === 'object' && one !== null) ?? {}
  const diskType = has.storage_account_type ?? has.type
  return found({
    id: item.id,
    type: item.type,
    name: item.name,
    kind,
    sizeGb: item.sizeGb,
    clusterId: item.clusterId,
    region: item.region,
    // The properties that price lists refer to.
    ...(kind === 'machine' && size !== undefined && { machine: { instance_id: size, ...cutOf(cut) } }),
    ...(kind === 'volume' && typeof diskType === 'string' && { diskType }),
  })
}
const cutOf = (cut: object) => ({
  ocpus: 'ocpus' in cut ? Number(cut.ocpus) : 0,
  mem: 'memory_in_gbs' in cut ? Number(cut.memory_in_gbs) : 0,
})

const isKeptImage = ({ kind, clusterId }: WorldItem) => kind === 'image' && clusterId === null

const worldOf = (dir: string, provider: ProviderId): World => openWorld(path.join(dir, provider))

/** Everything that exists in a simulated cloud, except resources that are only a property of another one. */
export async function listWorld(dir: string, provider: ProviderId): Promise<WorldItem[]> {
  return (await worldOf(dir, provider).list()).filter((item) => !item.part)
}

/** The driver of a simulated cloud, for operations outside the engine. */
export function simulatedDriver({ dir, provider, region = '', pace = 1 }: SimulatedDriverOptions): Driver {
  const world = worldOf(dir, provider)

  const switchAll = async (ids: string[], power: 'running' | 'stopped', signal: AbortSignal) => {
    await Promise.all(
      ids.map(async (id) => {
        const item = await world.get(id)
        if (!item || item.kind !== 'machine') throw new Error(`No machine ${id} in the simulated cloud.`)
        await sleep(powerMs * pace, undefined, { signal })
        await world.change({ ...item, power })
      }),
    )
  }

  const fastRestoreFile = path.join(dir, provider, 'fast-restore.json')
  const restores = async (): Promise<Record<string, string[]>> =>
    Restores.parse(JSON.parse(await readFile(fastRestoreFile, 'utf8').catch(() => '{}')))
  const fastRestore: Driver['fastRestore'] = {
    async set(image, zones, enabled) {
      const all = await restores()
      const others = (all[image] ?? []).filter((zone) => !zones.includes(zone))
      await mkdir(path.dirname(fastRestoreFile), { recursive: true, mode: 0o700 })
      await writeFile(
        fastRestoreFile,
        JSON.stringify({ ...all, [image]: enabled ? [...others, ...zones] : others }),
      )
    },
    state: async (image) => ((await restores())[image] ?? []).map((zone) => ({ zone, state: 'enabled' })),
  }

  const checkCredential = async () => {
    if (await strikes(dir, null, 'badCredential')) throw new Error(clouds[provider].failures.badCredential)
  }

  return {
    // Tenancies see zone names with a prefix of their own.
    zoneName: async (zone) => (provider === 'oracle' && !zone.includes(':') ? `Uocm:${zone}` : zone),
    ...(provider === 'azure' && makeTerms(dir)),
    ...(provider === 'aws' && { fastRestore, zoneFor: makeZoneFor(dir, region) }),
    choices: simulatedAccount(provider, region, world, checkCredential),
    async whoAmI() {
      await checkCredential()
      return { account: 'the simulated cloud, which accepts everyone', missing: [], checked: [] }
    },
    quotas: async (machines, zone) =>
      simulatedQuotas({ dir, provider, region, items: await world.list(), machines, zone }),
    stop: (machines, signal) => switchAll(machines, 'stopped', signal),
    start: (machines, signal) => switchAll(machines, 'running', signal),
    async find(clusterId) {
      const items = await world.list(clusterId)
      // Stack images are permanent: they are tagged with their stack, but with no cluster.
      return items.filter((item) => !item.part && !isKeptImage(item)).map(asFound)
    },
    async remove(resource, signal) {
      signal.throwIfAborted()
      const item = await world.get(resource.id)
      if (!item) return
      const user = item.kind === 'network' ? await usedBy(world, item) : undefined
      if (user) throw new Error(`${item.type} ${item.id} is still used by ${user.type} ${user.id}.`)
      const parts = (await world.list(item.clusterId)).filter((one) => one.part)
      for (const part of parts) {
        const belongs = part.id.startsWith(`${item.id}/`) || mentions(part.attributes, [item.id])
        if (belongs) await world.remove(part)
      }
      await sleep(clouds[provider].other.ms * pace * 0.2, undefined, { signal })
      await world.remove(item)
    },
  }
}
