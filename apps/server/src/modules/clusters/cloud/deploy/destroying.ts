import type { Database } from '../../../../db/database'
import { EngineError } from '../../../../engines/engine'
import { messageOf } from '../../../../explain'
import { sameId } from '../../../../providers/found'
import type { FoundResource } from '../../../../providers/provider'
import type { Leftovers } from '../../../leftovers/leftovers'
import { following, type RunContext } from '../../../runs/runs'
import * as clusterStore from '../../store'
import type { CloudCluster } from '../../stored-cluster'
import type { FastRestore } from './fast-restore'
import { hasKeptDisks, keptDiskFilter, recordKeptDisks, releaseDisks } from './kept-disks'
import type { Machines } from '../machines/machines'
import type { Recovery } from './recovery'
import { openCluster, type CloudDeps, type OpenedCluster } from '../workspace/deps'

const CHECK_MS = 2000

type Options = CloudDeps & {
  db: Database
  machines: Machines
  fastRestore: FastRestore
  recovery: Recovery
  /** Opens the engine for a cluster and recovers from a crash first. */
  open(cluster: CloudCluster, run: RunContext): Promise<OpenedCluster>
  /** Registers the kept disks as leftovers that still cost money. */
  leftovers: Pick<Leftovers, 'searchAfter'>
  now: () => number
}

/** Destroys clusters. A cluster counts as destroyed only when nothing is left of it but what is to be kept. */
export function makeDestroying(options: Options) {
  const { db, machines, fastRestore, recovery, open, now } = options

  const named = (list: FoundResource[]) =>
    list.map(({ type, name, id }) => `${type} ${name || id}`).join(', ')

  /** After a failed destroy, shows what is left and no longer shows what was removed. */
  const recordRemaining = async (cluster: CloudCluster, found: FoundResource[]): Promise<void> => {
    const { deployed } = cluster
    if (!deployed) return
    const ids = new Set(found.map(({ id }) => sameId(id)))
    const left = deployed.machines.filter(({ id }) => ids.has(sameId(id)))
    const disks = Object.entries(deployed.disks).filter(([, { id }]) => ids.has(sameId(id)))
    const isHeadGone = !left.some(({ role }) => role === 'head')
    // This needs the connection settings, which are still known here.
    if (isHeadGone) await machines.release(cluster)
    await clusterStore.update(db.kysely, cluster.id, {
      deployed: { ...deployed, machines: left, disks: Object.fromEntries(disks) },
      plan: null,
    })
  }
  /** Records what is left when a run ends while it waits: it has removed resources already. */
  const recordEnded = async (
    cluster: CloudCluster,
    found: FoundResource[],
    run: RunContext,
  ): Promise<void> => {
    // The run will be resumed and check again.
    if (run.detach.aborted) return
    // This fails if a force destroy has taken over, which then records what is left.
    await run.logNow(`Still in the cloud: ${named(found)}`, 'warning')
    await recordRemaining(cluster, found)
  }
  /** Waits until nothing with the cluster's tag is left but what is to be kept. Returns what else is left. */
  const remaining = async (opened: OpenedCluster, cluster: CloudCluster, run: RunContext) => {
    const stays = keptDiskFilter(cluster, opened)
    for (const until = now() + options.mode.listsDeletedMs; ;) {
      const found = (await opened.driver.find(cluster.id)).filter((one) => !stays(one))
      if (found.length === 0 || now() >= until) return found
      await run.pause(CHECK_MS).catch(async (reason: unknown) => {
        await recordEnded(cluster, found, run)
        throw reason
      })
    }
  }
  /** Checks what is left, whatever the failure was. If the cloud does not respond, the record stays as it was. */
  const afterFailure = async (cluster: CloudCluster, opened: OpenedCluster): Promise<void> => {
    await opened.driver
      .find(cluster.id)
      .then((found) => recordRemaining(cluster, found))
      .catch(() => {})
  }

  const forget = async (cluster: CloudCluster, opened: OpenedCluster): Promise<void> => {
    await machines.release(cluster)
    await machines.forget(cluster)
    await opened.workspace.remove()
    await clusterStore.update(db.kysely, cluster.id, {
      deployed: null,
      plan: null,
      up_nodes: [],
      engine_position: 0,
      name_prefix: null,
      engine_died: false,
      host_key: null,
      burst_paused: null,
      burst_reset_at: new Date(now()),
      fast_restore: [],
      kept_ids: cluster.kept_ids,
      // New resources must not have the names of the kept ones.
      ...(hasKeptDisks(cluster) && { name_round: cluster.name_round + 1 }),
    })
    if (hasKeptDisks(cluster)) await options.leftovers.searchAfter(cluster)
  }

  /**
   * Removes disks that an earlier attempt was to keep and the engine released, and what contains them: only the cloud
   * still knows of them.
   */
  const removeReleased = async (
    opened: OpenedCluster,
    cluster: CloudCluster,
    released: string[],
    run: RunContext,
  ): Promise<void> => {
    if (released.length === 0) return
    const ids = new Set(released.map(sameId))
    const isTarget = ({ id, type }: FoundResource) => ids.has(sameId(id)) || type === opened.holdsDisks
    await recovery.removeAll(opened, cluster, isTarget, run)
  }

  /** Clouds do not detach mounted disks of running machines, and a destroy detaches disks before it ends machines. */
  const stopForDisks = async (opened: OpenedCluster, { deployed }: CloudCluster, run: RunContext) => {
    const heads = deployed?.machines.filter(({ role }) => role === 'head').map(({ id }) => id) ?? []
    if (!deployed || heads.length === 0 || Object.keys(deployed.disks).length === 0) return
    run.log('Stopping the head node, so that its disks can be detached')
    await opened.driver.stop(heads, run.cancel).catch((error: unknown) => {
      run.cancel.throwIfAborted()
      const reason = messageOf(error)
      // The head node may be gone, and its disks with it.
      run.log(`The head node could not be stopped: ${reason}`, 'warning')
    })
  }

  return {
    async destroy(before: CloudCluster, keepDisks: string[], run: RunContext): Promise<void> {
      const opened = await open(before, run)
      const { workspace } = opened
      const { cluster, released } = await recordKeptDisks(db, before, opened, keepDisks)
      await releaseDisks(opened, keepDisks, run)
      await fastRestore.end(cluster, opened, run)
      await stopForDisks(opened, cluster, run)
      await workspace.plan({ destroy: true }, following(run))
      await workspace.apply(following(run)).catch(async (error: unknown) => {
        if (!(error instanceof EngineError && error.code === 'detached')) await afterFailure(cluster, opened)
        throw error
      })
      await removeReleased(opened, cluster, released, run)
      const found = await remaining(opened, cluster, run)
      if (found.length > 0) await recordRemaining(cluster, found)
      if (found.length > 0)
        throw new Error(
          `The engine has finished, but these resources are still in the cloud: ${named(found)}. Force destroy removes them`,
        )
      await forget(cluster, opened)
    },

    async forceDestroy(before: CloudCluster, keepDisks: string[], run: RunContext): Promise<void> {
      const opened = await openCluster(options, before)
      const { cluster } = await recordKeptDisks(db, before, opened, keepDisks)
      try {
        await recovery.recover(cluster, opened, run)
        await opened.workspace.forceUnlock()
        await opened.workspace.init(following(run))
        await releaseDisks(opened, keepDisks, run)
        await fastRestore.end(cluster, opened, run)
        await stopForDisks(opened, cluster, run)
        await opened.workspace.plan({ destroy: true }, following(run))
        await opened.workspace.apply(following(run))
      } catch (error) {
        if (error instanceof EngineError && (error.code === 'detached' || error.code === 'canceled'))
          throw error
        run.log(
          `The engine could not remove everything: ${error instanceof Error ? error.message : 'unknown'}`,
        )
      }
      run.log('Searching for resources with this cluster’s tag')
      const failed = await recovery.removeAll(opened, cluster, () => true, run)
      const found = await remaining(opened, cluster, run)
      if (found.length > 0) await recordRemaining(cluster, found)
      if (found.length > 0)
        throw new Error(`Resources left in the cloud: ${named(found)}. ${failed.join('. ')}`.trim())
      run.log('No resources with this cluster’s tag are left')
      await forget(cluster, opened)
    },
  }
}
