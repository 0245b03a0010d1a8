import * as z from 'zod/mini'
import type { Database } from '../../../db/database'
import { sameId } from '../../../providers/found'
import type { FoundResource } from '../../../providers/provider'
import type { RunContext } from '../runs'
import * as store from '../store'
import type { FoundCluster } from '../store'
import { following } from './following'
import { deployedOf } from './stored'
import type { OpenedCluster } from './surroundings'

const Ids = z.array(z.string())

/**
 * Disks that were kept when the cluster was destroyed. They have its tag for as long as they exist, also after it was
 * deployed again: nothing that searches by the tag may take them for its own.
 */
export function isKept(
  { kept_ids }: FoundCluster,
  { holdsDisks }: OpenedCluster,
): (one: FoundResource) => boolean {
  const ids = new Set(Ids.parse(kept_ids).map(sameId))
  const holds = (group: string) => [...ids].some((disk) => disk.startsWith(`${sameId(group)}/`))
  return ({ id, type }) => ids.has(sameId(id)) || (type === holdsDisks && holds(id))
}

export const hasKept = ({ kept_ids }: FoundCluster): boolean => Ids.parse(kept_ids).length > 0

/** Written down before anything is removed: whoever comes after a crash is to know it. */
export async function noteKept(db: Database, cluster: FoundCluster, names: string[]): Promise<FoundCluster> {
  const disks = deployedOf(cluster)?.disks ?? {}
  const ids = [...Ids.parse(cluster.kept_ids), ...names.flatMap((name) => disks[name]?.id ?? [])]
  const kept_ids = [...new Set(ids)]
  await store.update(db.kysely, cluster.id, { kept_ids: JSON.stringify(kept_ids) })
  return { ...cluster, kept_ids }
}

/** The engine lets go of the disks, and of what they are in. */
export async function letGo(
  { workspace, holdsDisks }: OpenedCluster,
  names: string[],
  run: RunContext,
): Promise<void> {
  if (names.length === 0) return
  const resources = (await workspace.resources()).filter(({ mode }) => mode === 'managed')
  const disks = resources.filter(
    ({ name, key, type }) => name === 'disk' && names.includes(key ?? '') && !type.endsWith('_attachment'),
  )
  if (disks.length === 0) return
  run.say(`Keeping ${names.join(', ')}: they stay in the cloud and still cost`)
  const stay = [...disks, ...resources.filter(({ type }) => type === holdsDisks)]
  await workspace.forget(
    stay.map(({ address }) => address),
    following(run),
  )
}
