import type { Database } from '../../../../db/database'
import { inRemovalOrder, sameId } from '../../../../providers/found'
import type { FoundResource } from '../../../../providers/provider'
import { following, type RunContext } from '../../../runs/runs'
import * as store from '../../store'
import type { CloudCluster } from '../../stored-cluster'
import { keptDiskFilter } from './kept-disks'
import type { OpenedCluster } from '../workspace/deps'

export type Recovery = ReturnType<typeof makeRecovery>
/** Recovery after a crash of the server or the engine. */
export function makeRecovery(db: Database) {
  /** Resumes after a crash: an engine that is still running is followed to its end, and resources it lost are found. */
  const recover = async (cluster: CloudCluster, opened: OpenedCluster, run: RunContext): Promise<void> => {
    const { workspace } = opened
    const before = await workspace.inProgress()
    if (before) {
      run.log(
        before.alive
          ? 'The engine kept running while the console was down: following it'
          : 'The engine was interrupted: checking how far it got',
      )
      const { ending } = await workspace.recover({ from: cluster.engine_position }, following(run))
      if (ending === 'killed') await markDied(cluster)
    }
    const now = await store.findInCloud(db.kysely, cluster.id)
    if (now?.engine_died) await removeLost(cluster, opened, run)
  }
  const markDied = (cluster: CloudCluster) => store.update(db.kysely, cluster.id, { engine_died: true })

  /** The engine may have died before it recorded what it created: unrecorded resources with our tag are removed. */
  const removeLost = async (cluster: CloudCluster, opened: OpenedCluster, run: RunContext): Promise<void> => {
    const known = new Set((await opened.workspace.resources()).map(({ values }) => sameId(String(values.id))))
    const failed = await removeAll(opened, cluster, (one) => !known.has(sameId(one.id)), run)
    if (failed.length > 0)
      throw new Error(`Could not remove resources that the engine did not record: ${failed.join('. ')}`)
    await store.update(db.kysely, cluster.id, { engine_died: false })
  }

  /** Removes resources in passes: those that others still depend on are removed in a later one. */
  const removeAll = async (
    opened: OpenedCluster,
    cluster: CloudCluster,
    isTarget: (one: FoundResource) => boolean,
    run: RunContext,
  ): Promise<string[]> => {
    const { driver } = opened
    const stays = keptDiskFilter(cluster, opened)
    for (let before = Infinity; ;) {
      const found = (await driver.find(cluster.id)).filter((one) => isTarget(one) && !stays(one))
      const failed: string[] = []
      if (found.length === 0) return []
      for (const one of inRemovalOrder(found, ({ kind }) => kind)) {
        run.log(`Removing ${one.type} ${one.name || one.id} by its tag`)
        await driver.remove(one, run.cancel).catch((error: Error) => {
          failed.push(`${one.type} ${one.name || one.id}: ${error.message}`)
        })
      }
      if (failed.length >= before) return failed
      before = failed.length
    }
  }

  return { recover, markDied, removeLost, removeAll }
}
