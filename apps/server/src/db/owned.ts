import { sql, type RawBuilder } from 'kysely'
import type { Queryable, Transaction } from './database'
import type { Tables } from './tables'

/** The SQL form of the contract's `isParticipant`, for the roles in this column; every user has at least one. */
export const isParticipantSql = (role: RawBuilder<unknown>) => sql<boolean>`(${role} <@ array['participant'])`

/** The SQL form of the contract's `isAdmin`. */
export const isAdminSql = (role: RawBuilder<unknown>) => sql<boolean>`('admin' = any(${role}))`

/** The tables of what users own. Accounting is left out: it only records who owned a cluster. */
export type OwnedTable = Exclude<
  { [Table in keyof Tables]: Tables[Table] extends { owner_id: unknown } ? Table : never }[keyof Tables],
  'usage_feeds'
>

/** The tables of what users share, each with its table of collaborators and the column there that refers to it. */
const links = {
  clusters: { collaborators: 'cluster_collaborators', thing: 'cluster_id' },
  credentials: { collaborators: 'credential_collaborators', thing: 'credential_id' },
  trainings: { collaborators: 'training_collaborators', thing: 'training_id' },
  stacks: { collaborators: 'stack_collaborators', thing: 'stack_id' },
  courses: { collaborators: 'course_collaborators', thing: 'course_id' },
  app_sessions: { collaborators: 'app_session_collaborators', thing: 'session_id' },
} as const satisfies Partial<Record<OwnedTable, unknown>>
export type SharedTable = keyof typeof links
/** The tables of what is handed on when its owner is removed. A running app ends with its owner instead. */
export type HandedOnTable = Exclude<OwnedTable, 'app_sessions'>

const linkOf = (table: SharedTable) => ({
  collaborators: sql.table(links[table].collaborators),
  thing: sql.ref(links[table].thing),
})
const isShared = (table: OwnedTable): table is SharedTable => table in links

/** Whether a thing is shared with a user by name. */
const isSharedWith = (table: SharedTable, userId: RawBuilder<unknown>) => {
  const { collaborators, thing } = linkOf(table)
  return sql<boolean>`exists (
    select from ${collaborators} c where c.${thing} = ${sql.ref(`${table}.id`)} and c.user_id = (${userId}))`
}

/** Whether a cluster is shared with the user's entry in a directory, or with a group it was in when last queried. */
export const sharedByDirectory = (userId: RawBuilder<unknown>) => sql<boolean>`exists (
  select from cluster_ldap_collaborators c join ldap_accounts a on a.server_id = c.server_id
  where c.cluster_id = clusters.id and a.user_id = (${userId}) and (c.dn_key = a.dn_key or c.dn_key = any(a.groups)))`

/** Whether a user owns a thing or is a collaborator. Others may see it as well, which visible.ts decides. */
export const belongsToSql = (table: OwnedTable, userId: RawBuilder<unknown>): RawBuilder<boolean> => {
  const isOwner = sql<boolean>`${sql.ref(`${table}.owner_id`)} = (${userId})`
  if (!isShared(table)) return isOwner
  const isCollaborator = isSharedWith(table, userId)
  return table === 'clusters'
    ? sql`(${isOwner} or ${isCollaborator} or ${sharedByDirectory(userId)})`
    : sql`(${isOwner} or ${isCollaborator})`
}

export function shared(table: SharedTable) {
  const { collaborators, thing } = linkOf(table)
  return {
    isSharedWith: (userId: RawBuilder<unknown>) => isSharedWith(table, userId),

    /** The users with whom it is shared, by name. */
    collaborators: sql<{ id: string; username: string }[]>`coalesce((
      select json_agg(json_build_object('id', u.id, 'username', u.username) order by u.username)
      from ${collaborators} c join users u on u.id = c.user_id
      where c.${thing} = ${sql.ref(`${table}.id`)}), '[]')`,

    /** Locks the thing against other changes. Returns its owner and current collaborators, or null if it is gone. */
    async lockShares(tx: Transaction, id: string) {
      const held = await sql<{
        owner_id: string
      }>`select owner_id from ${sql.table(table)} where id = ${id} for update`.execute(tx)
      const [locked] = held.rows
      if (!locked) return null
      const found = await sql<{ id: string; username: string }>`
        select u.id, u.username from ${collaborators} c join users u on u.id = c.user_id
        where c.${thing} = ${id}`.execute(tx)
      return { owner: locked.owner_id, collaborators: found.rows }
    },

    unshare: (tx: Transaction, id: string, userId: string) =>
      sql`delete from ${collaborators} where ${thing} = ${id} and user_id = ${userId}`.execute(tx),

    async setCollaborators(tx: Transaction, id: string, userIds: string[]): Promise<void> {
      await sql`delete from ${collaborators} where ${thing} = ${id}`.execute(tx)
      await sql`insert into ${collaborators} (${thing}, user_id) select ${id}::text, unnest(${userIds}::text[])`.execute(
        tx,
      )
    },
  }
}

/** The things in a table that go to another user when their owner is removed. */
export function handedOn(table: HandedOnTable) {
  const things = sql.table(table)
  return {
    async list(db: Queryable, ownerId: string): Promise<{ id: string; name: string }[]> {
      const found = await sql<{ id: string; name: string }>`
        select id, name from ${things} where owner_id = ${ownerId} order by name`.execute(db)
      return found.rows
    },

    async transferOwnership(tx: Transaction, from: string, to: string): Promise<void> {
      const move = sql`update ${things} set owner_id = ${to} where owner_id = ${from}`
      if (!isShared(table)) {
        await move.execute(tx)
        return
      }
      const { collaborators, thing } = linkOf(table)
      // The new owner is no longer a collaborator.
      await sql`with moved as (${move} returning id)
        delete from ${collaborators} where user_id = ${to} and ${thing} in (select id from moved)`.execute(tx)
    },
  }
}
