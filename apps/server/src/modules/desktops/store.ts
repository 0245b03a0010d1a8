import type { ClusterState } from '@flotilla/contract/clusters/states'
import type { Insertable, Selectable } from 'kysely'
import type { Queryable, Transaction } from '../../db/database'
import type { DesktopRow, DesktopTicketRow, DesktopViewerRow } from '../../db/tables/desktops'

export type StoredDesktop = Omit<Selectable<DesktopRow>, 'user_id'> & {
  user_id: string
  username: string
  first_name: string
  last_name: string
  cluster_name: string
  cluster_state: ClusterState
}
export type Viewer = Selectable<DesktopViewerRow> & {
  username: string
  first_name: string
  last_name: string
}

const withNames = (db: Queryable) =>
  db
    .selectFrom('desktops')
    .innerJoin('users', 'users.id', 'desktops.user_id')
    .innerJoin('clusters', 'clusters.id', 'desktops.cluster_id')
    .selectAll('desktops')
    .select(['users.id as user_id', 'users.username', 'users.first_name', 'users.last_name'])
    .select(['clusters.name as cluster_name', 'clusters.state as cluster_state'])
    .orderBy('desktops.created_at', 'desc')
    .orderBy('desktops.id')

export type DesktopFilter = { id?: string; userIds?: string[]; clusterId?: string | undefined }
/** Finds desktops of existing users. */
export const find = (db: Queryable, { id, userIds, clusterId }: DesktopFilter): Promise<StoredDesktop[]> =>
  withNames(db)
    .$if(id !== undefined, (query) => query.where('desktops.id', '=', id ?? ''))
    .$if(userIds !== undefined, (query) => query.where('desktops.user_id', 'in', [...(userIds ?? []), '']))
    .$if(clusterId !== undefined, (query) => query.where('desktops.cluster_id', '=', clusterId ?? ''))
    .execute()

/** The desktops of removed users. */
export const ownerless = (db: Queryable) =>
  db
    .selectFrom('desktops')
    .innerJoin('clusters', 'clusters.id', 'desktops.cluster_id')
    .selectAll('desktops')
    .select('clusters.name as cluster_name')
    .where('desktops.user_id', 'is', null)
    .execute()

/** Inserts a desktop unless the user has one on the cluster; returns whether it did. */
export const insert = async (tx: Transaction, row: Insertable<DesktopRow>): Promise<boolean> =>
  (await tx
    .insertInto('desktops')
    .values(row)
    .onConflict((conflict) => conflict.columns(['cluster_id', 'user_id']).doNothing())
    .returning('id')
    .executeTakeFirst()) !== undefined

export const update = (db: Queryable, id: string, change: Partial<Selectable<DesktopRow>>) =>
  db.updateTable('desktops').set(change).where('id', '=', id).execute()

/** Changes the state from `starting`, unless the desktop was ended in the meantime. */
export const markRunning = async (db: Queryable, id: string): Promise<boolean> =>
  (await db
    .updateTable('desktops')
    .set({ state: 'running' })
    .where('id', '=', id)
    .where('state', '!=', 'ending')
    .returning('id')
    .executeTakeFirst()) !== undefined

export const remove = (db: Queryable, id: string) => db.deleteFrom('desktops').where('id', '=', id).execute()

export const viewersOf = (db: Queryable, desktopIds: string[], seenSince: Date): Promise<Viewer[]> =>
  db
    .selectFrom('desktop_viewers')
    .innerJoin('users', 'users.id', 'desktop_viewers.user_id')
    .selectAll('desktop_viewers')
    .select(['users.username', 'users.first_name', 'users.last_name'])
    .where('desktop_id', 'in', [...desktopIds, ''])
    .where('seen_at', '>', seenSince)
    .orderBy('since')
    .execute()

export const insertViewer = (tx: Transaction, row: Insertable<DesktopViewerRow>) =>
  tx.insertInto('desktop_viewers').values(row).execute()

export const removeViewer = async (tx: Transaction, id: string, desktopId: string) =>
  tx
    .deleteFrom('desktop_viewers')
    .where('id', '=', id)
    .where('desktop_id', '=', desktopId)
    .returning(['user_id'])
    .executeTakeFirst()

/** Updates these viewers; returns the ids of those that were not removed in the meantime. */
export const touchViewers = async (db: Queryable, ids: string[], at: Date): Promise<string[]> =>
  (
    await db
      .updateTable('desktop_viewers')
      .set({ seen_at: at })
      .where('id', 'in', [...ids, ''])
      .returning('id')
      .execute()
  ).map(({ id }) => id)

export const insertTicket = (tx: Transaction, row: Insertable<DesktopTicketRow>) =>
  tx.insertInto('desktop_tickets').values(row).execute()

/** Consumes a ticket; of two concurrent calls only one gets it. */
export const takeTicket = (db: Queryable, hash: string, now: Date) =>
  db
    .deleteFrom('desktop_tickets')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()

export const removeExpired = async (db: Queryable, now: Date, seenSince: Date): Promise<void> => {
  await db.deleteFrom('desktop_tickets').where('expires_at', '<=', now).execute()
  await db.deleteFrom('desktop_viewers').where('seen_at', '<=', seenSince).execute()
}
