import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../../db/database'
import { EngineError } from '../../../../engines/engine'
import { sameId } from '../../../../providers/found'
import type { FoundResource } from '../../../../providers/provider'
import type { Leftovers } from '../../../leftovers/leftovers'
import { following } from '../../../runs/runs'
import type { RunContext } from '../../runs/runs'
import * as clusterStore from '../../store'
import type { FoundCluster } from '../../store'
import type { FastRestore } from '../fast-restore'
import { hasKept, isKept, letGo, noteKept } from './kept'
import type { Ready } from './wait-until-ready'
import type { Recovery } from './recovery'
import { deployedOf } from '../stored'
import { openCluster, type OpenedCluster, type Surroundings } from './deps'

/** Clouds need a moment until what was deleted is not listed any more. */
const GONE_MS = 60_000
const LOOK_MS = 2000

type Options = Surroundings & {
  db: Database
  ready: Ready
  fastRestore: FastRestore
  recovery: Recovery
  /** The engine at a cluster, with what a crash cut off taken up. */
  open(cluster: FoundCluster, run: RunContext): Promise<OpenedCluster>
  /** Finds the disks that were kept, for the list of what still costs. */
  leftovers: Pick<Leftovers, 'searchAfter'>
  now: () => number
}

/** How a cluster goes: it is said to be destroyed only when nothing of it is left but what is to stay. */
export function makeDestroying(options: Options) {
  const { db, ready, fastRestore, recovery, open, now } = options

  /** Until nothing with the cluster's tag is left but what is to stay. */
  const left = async (opened: OpenedCluster, cluster: FoundCluster) => {
    const stays = isKept(cluster, opened)
    for (const until = now() + GONE_MS; ;) {
      const found = (await opened.driver.find(cluster.id)).filter((one) => !stays(one))
      if (found.length === 0 || now() > until || options.simulated) return found
      await sleep(LOOK_MS)
    }
  }
  const named = (list: FoundResource[]) =>
    list.map(({ type, name, id }) => `${type} ${name || id}`).join(', ')

  /** What a destroy that failed has taken away is not shown any more, and what it left is. */
  const writeDownLeft = async (cluster: FoundCluster, found: FoundResource[]): Promise<void> => {
    const deployed = deployedOf(cluster)
    if (!deployed) return
    const ids = new Set(found.map(({ id }) => sameId(id)))
    const machines = deployed.machines.filter(({ id }) => ids.has(sameId(id)))
    const disks = Object.entries(deployed.disks).filter(([, { id }]) => ids.has(sameId(id)))
    const isHeadGone = !machines.some(({ role }) => role === 'head')
    // While it is still known what answers there.
    if (isHeadGone) await ready.forget(cluster)
    await clusterStore.update(db.kysely, cluster.id, {
      deployed: JSON.stringify({ ...deployed, machines, disks: Object.fromEntries(disks) }),
      plan: null,
    })
  }
  /** Whatever the reason, what is left is looked at; a cloud that does not answer leaves the record as it was. */
  const afterFailure = async (cluster: FoundCluster, opened: OpenedCluster): Promise<void> => {
    await opened.driver
      .find(cluster.id)
      .then((found) => writeDownLeft(cluster, found))
      .catch(() => {})
  }

  const forget = async (cluster: FoundCluster, opened: OpenedCluster): Promise<void> => {
    await ready.forget(cluster)
    await ready.forgetMachines(cluster)
    await opened.workspace.remove()
    await clusterStore.update(db.kysely, cluster.id, {
      deployed: null,
      plan: null,
      up_nodes: '[]',
      engine_position: 0,
      engine_died: false,
      host_key: null,
      burst_paused: null,
      burst_reset_at: new Date(now()),
      fast_restore: '[]',
      kept_ids: JSON.stringify(cluster.kept_ids),
      // The next things must not have the names of those that stay.
      ...(hasKept(cluster) && { name_round: cluster.name_round + 1 }),
    })
    if (hasKept(cluster)) await options.leftovers.searchAfter(cluster)
  }

  /** What the engine let go of when it was still to be kept, and what that is in: only the cloud knows of it now. */
  const removeReleased = async (
    opened: OpenedCluster,
    cluster: FoundCluster,
    released: string[],
    run: RunContext,
  ): Promise<void> => {
    if (released.length === 0) return
    const ids = new Set(released.map(sameId))
    const isMeant = ({ id, type }: FoundResource) => ids.has(sameId(id)) || type === opened.holdsDisks
    await recovery.removeAll(opened, cluster, isMeant, run)
  }

  return {
    async destroy(before: FoundCluster, keepDisks: string[], run: RunContext): Promise<void> {
      const opened = await open(before, run)
      const { workspace } = opened
      const { cluster, released } = await noteKept(db, before, opened, keepDisks)
      await letGo(opened, keepDisks, run)
      await fastRestore.end(cluster, opened, run)
      await workspace.plan({ destroy: true }, following(run))
      await workspace.apply(following(run)).catch(async (error: unknown) => {
        if (!(error instanceof EngineError && error.code === 'left')) await afterFailure(cluster, opened)
        throw error
      })
      await removeReleased(opened, cluster, released, run)
      const found = await left(opened, cluster)
      if (found.length > 0) await writeDownLeft(cluster, found)
      if (found.length > 0)
        throw new Error(
          `The engine is done, but this is still in the cloud: ${named(found)}. Force destroy removes it`,
        )
      await forget(cluster, opened)
    },

    async forceDestroy(before: FoundCluster, keepDisks: string[], run: RunContext): Promise<void> {
      const opened = await openCluster(options, before)
      const { cluster } = await noteKept(db, before, opened, keepDisks)
      try {
        await recovery.settle(cluster, opened, run)
        await opened.workspace.forceUnlock()
        await opened.workspace.init(following(run))
        await letGo(opened, keepDisks, run)
        await fastRestore.end(cluster, opened, run)
        await opened.workspace.plan({ destroy: true }, following(run))
        await opened.workspace.apply(following(run))
      } catch (error) {
        if (error instanceof EngineError && (error.code === 'left' || error.code === 'canceled')) throw error
        run.say(
          `The engine could not remove everything: ${error instanceof Error ? error.message : 'unknown'}`,
        )
      }
      run.say('Looking for everything with the tag of this cluster')
      const failed = await recovery.removeAll(opened, cluster, () => true, run)
      const found = await left(opened, cluster)
      if (found.length > 0) await writeDownLeft(cluster, found)
      if (found.length > 0)
        throw new Error(`This is left in the cloud: ${named(found)}. ${failed.join('. ')}`.trim())
      run.say('Nothing with the tag of this cluster is left')
      await forget(cluster, opened)
    },
  }
}
