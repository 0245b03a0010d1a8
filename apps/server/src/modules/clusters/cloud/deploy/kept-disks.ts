import type { Database } from '../../../../db/database'
import { sameId } from '../../../../providers/found'
import type { FoundResource } from '../../../../providers/provider'
import { following, type RunContext } from '../../../runs/runs'
import * as store from '../../store'
import type { CloudCluster } from '../../stored-cluster'
import type { OpenedCluster } from '../workspace/deps'

/**
 * Disks that were kept when the cluster was destroyed. They keep its tag as long as they exist, even after it is
 * deployed again: a search by tag must not mistake them for the new deployment's.
 */
export function keptDiskFilter(
  cluster: CloudCluster,
  { holdsDisks }: OpenedCluster,
): (one: FoundResource) => boolean {
  const ids = new Set(cluster.kept_ids.map(({ id }) => sameId(id)))
  const holds = (group: string) => [...ids].some((disk) => disk.startsWith(`${sameId(group)}/`))
  return ({ id, type }) => ids.has(sameId(id)) || (type === holdsDisks && holds(id))
}

export const hasKeptDisks = (cluster: CloudCluster): boolean => cluster.kept_ids.length > 0

/** The disks that an unfinished destroy was to keep. */
export const keptByUnfinishedDestroy = (cluster: CloudCluster): string[] =>
  cluster.kept_ids.filter(({ round }) => round === cluster.name_round).map(({ name }) => name)

const disksIn = async ({ workspace }: OpenedCluster) =>
  (await workspace.resources()).filter(
    ({ mode, name, type }) =>
      mode === 'managed' && name === 'disk' && !/_attachment$|_attached_disk$/.test(type),
  )

/**
 * Stored before anything is removed, for a run after a crash. What an earlier attempt was to keep and this one is not
 * is returned as `released`: the engine may have released it already.
 */
export async function recordKeptDisks(
  db: Database,
  cluster: CloudCluster,
  opened: OpenedCluster,
  names: string[],
): Promise<{ cluster: CloudCluster; released: string[] }> {
  const known = cluster.kept_ids
  const round = cluster.name_round
  const isReleased = (one: (typeof known)[number]) => one.round === round && !names.includes(one.name)
  // A failed deploy stored nothing, and an unreadable state contains nothing.
  const inState = await disksIn(opened).catch(() => [])
  const disks = cluster.deployed?.disks ?? {}
  const idsOf = (name: string) => [
    ...inState.filter(({ key }) => key === name).map(({ values }) => String(values.id)),
    ...(disks[name] ? [disks[name].id] : []),
  ]
  const kept = new Map(known.filter((one) => !isReleased(one)).map((one) => [sameId(one.id), one]))
  for (const name of names)
    for (const id of idsOf(name)) if (!kept.has(sameId(id))) kept.set(sameId(id), { id, name, round })
  const kept_ids = [...kept.values()]
  const released = known.filter(isReleased)
  // They are forgotten only once they are gone.
  await store.update(db.kysely, cluster.id, { kept_ids: [...released, ...kept_ids] })
  return { cluster: { ...cluster, kept_ids }, released: released.map(({ id }) => id) }
}

/** Removes the disks, and what contains them, from the engine's state: they stay in the cloud. */
export async function releaseDisks(opened: OpenedCluster, names: string[], run: RunContext): Promise<void> {
  if (names.length === 0) return
  const { workspace, holdsDisks } = opened
  const disks = (await disksIn(opened)).filter(({ key }) => names.includes(key ?? ''))
  if (disks.length === 0) return
  run.log(`Keeping ${names.join(', ')}: they stay in the cloud and keep costing money`)
  const resources = (await workspace.resources()).filter(({ mode }) => mode === 'managed')
  const stay = [...disks, ...resources.filter(({ type }) => type === holdsDisks)]
  await workspace.forget(
    stay.map(({ address }) => address),
    following(run),
  )
}
