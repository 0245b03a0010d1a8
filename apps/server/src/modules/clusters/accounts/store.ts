import { sql } from 'kysely'
import type { Queryable } from '../../../db/database'
import { shared } from '../../../db/owned'
import { maySee } from '../store'

/** Whose account it is, and on which cluster. */
type Account = { clusterId: string; name: string; userId: string }

export const removals = async (db: Queryable, { clusterId, name, userId }: Account): Promise<number> =>
  (
    await db
      .selectFrom('cluster_accounts')
      .select('removals')
      .where('cluster_id', '=', clusterId)
      .where('name', '=', name)
      .where('user_id', '=', userId)
      .executeTakeFirst()
  )?.removals ?? 0

/** False if an account of the same name belongs to someone else. */
export const note = async (
  db: Queryable,
  { clusterId, name, userId, uid }: Account & { uid: number },
): Promise<boolean> =>
  (await db
    .insertInto('cluster_accounts')
    .values({ cluster_id: clusterId, name, user_id: userId, uid })
    .onConflict((conflict) =>
      conflict
        .columns(['cluster_id', 'name'])
        .doUpdateSet((row) => ({
          user_id: row.ref('excluded.user_id'),
          uid: row.ref('excluded.uid'),
          there: true,
          makings: sql<number>`cluster_accounts.makings + 1`,
        }))
        .where((row) =>
          row.or([
            row('cluster_accounts.there', '=', false),
            row('cluster_accounts.uid', '=', row.ref('excluded.uid')),
          ]),
        ),
    )
    .returning('name')
    .executeTakeFirst()) !== undefined

export const mayHave = async (db: Queryable, clusterId: string, userId: string, at: Date): Promise<boolean> =>
  (
    await sql<{ may: boolean }>`select ${maySee(sql`${clusterId}`, sql`${userId}`, at)} as may`.execute(db)
  ).rows.some(({ may }) => may)

/** Accounts of people who may no longer use the cluster or were removed. */
export const withdrawn = (db: Queryable, clusterId: string, at: Date) =>
  db
    .selectFrom('cluster_accounts')
    .select(['name', 'makings'])
    .where('cluster_id', '=', clusterId)
    .where('there', '=', true)
    .where(sql<boolean>`not ${maySee(sql`cluster_accounts.cluster_id`, sql`cluster_accounts.user_id`, at)}`)
    .execute()

/**
 * Marks accounts as removed: with `one`, only that account, unless it has been recreated since; otherwise all of them.
 */
export const noteRemoved = (db: Queryable, clusterId: string, one?: { name: string; makings: number }) =>
  db
    .updateTable('cluster_accounts')
    .set((row) => ({ there: false, removals: row('removals', '+', 1) }))
    .where('cluster_id', '=', clusterId)
    .where('there', '=', true)
    .$if(one !== undefined, (query) =>
      query.where('name', '=', one?.name ?? '').where('makings', '=', one?.makings ?? 0),
    )
    .execute()

/** The name of the person's account on clusters that the console did not create. */
export const unixAccount = async (db: Queryable, userId: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('users')
    .select(['username', 'unix_account'])
    .where('id', '=', userId)
    .executeTakeFirst()
  return row && (row.unix_account ?? row.username)
}

/** The uid that a person was assigned permanently. */
export const uidOf = async (db: Queryable, userId: string): Promise<number | undefined> =>
  (await db.selectFrom('local_accounts').select('uid').where('user_id', '=', userId).executeTakeFirst())?.uid

/** All uids ever assigned, including those of people who were removed. */
export const assignedUids = async (db: Queryable): Promise<number[]> =>
  (await db.selectFrom('local_accounts').select('uid').execute()).map(({ uid }) => uid)

/** Does nothing if the person already has a uid, or someone else has this one. */
export const assignUid = (db: Queryable, userId: string, uid: number) =>
  sql`insert into local_accounts (uid, user_id) overriding system value values (${uid}, ${userId})
    on conflict do nothing`.execute(db)

/** Identifies this console among others: it stays the same when the console is moved. */
export const consoleMark = async (db: Queryable): Promise<string> =>
  (await db.selectFrom('site_settings').select('master_key_mark').executeTakeFirst())?.master_key_mark ?? ''

/** Whether they registered themselves and no one has shared the cluster with them by name. */
export const isStranger = async (db: Queryable, clusterId: string, userId: string): Promise<boolean> =>
  (await db
    .selectFrom(['users', 'clusters'])
    .select('users.id')
    .where('users.id', '=', userId)
    .where('clusters.id', '=', clusterId)
    .where('registered', '=', true)
    .where(sql<boolean>`not ${shared('clusters').isSharedWith(sql`users.id`)}`)
    .executeTakeFirst()) !== undefined
