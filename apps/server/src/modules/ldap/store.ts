import { sql, type Insertable, type Updateable } from 'kysely'
import type { Queryable, Transaction } from '../../db/database'
import type { LdapAccountRow, LdapServerRow } from '../../db/tables/people'

export const active = (db: Queryable) =>
  db
    .selectFrom('ldap_servers')
    .select(['id', 'name'])
    .where('active', '=', true)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

const servers = (db: Queryable) =>
  db
    .selectFrom('ldap_servers')
    .selectAll()
    .select(
      sql<number>`(select count(*)::int from ldap_accounts a where a.server_id = ldap_servers.id)`.as(
        'people',
      ),
    )
export type ServerRow = Awaited<ReturnType<ReturnType<typeof servers>['executeTakeFirstOrThrow']>>

export const list = (db: Queryable) => servers(db).orderBy('created_at').orderBy('id').execute()
export const find = (db: Queryable, id: string) => servers(db).where('id', '=', id).executeTakeFirst()
/** Locks the server against changes and deletion until the transaction ends. */
export const lock = (tx: Transaction, id: string) =>
  tx.selectFrom('ldap_servers').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const insert = (tx: Transaction, row: Insertable<LdapServerRow>) =>
  tx.insertInto('ldap_servers').values(row).execute()
export const update = (tx: Transaction, id: string, values: Updateable<LdapServerRow>) =>
  tx.updateTable('ldap_servers').set(values).where('id', '=', id).execute()
export const remove = (tx: Transaction, id: string) =>
  tx.deleteFrom('ldap_servers').where('id', '=', id).execute()

const accounts = (db: Queryable) =>
  db
    .selectFrom('ldap_accounts')
    .innerJoin('users', 'users.id', 'ldap_accounts.user_id')
    .selectAll('ldap_accounts')
    .select(['users.id', 'users.username', 'users.role', 'users.end_time', 'users.verified'])
export type Account = Awaited<ReturnType<ReturnType<typeof accounts>['executeTakeFirstOrThrow']>>

/** The account of an entry. A server takes over the accounts of a deleted server that has the same entries. */
export const accountOf = (
  db: Queryable,
  serverId: string,
  { dnKey, entryId }: { dnKey: string; entryId: string | null },
) =>
  accounts(db)
    .where((either) => either.or([either('server_id', '=', serverId), either('server_id', 'is', null)]))
    .where(
      sql<boolean>`case when entry_id is null or ${entryId}::text is null then dn_key = ${dnKey}
        else entry_id = ${entryId} end`,
    )
    .orderBy(sql`server_id is null`)
    .limit(1)
    .executeTakeFirst()

export const accountOfUser = (db: Queryable, userId: string) =>
  accounts(db).where('user_id', '=', userId).executeTakeFirst()
export const accountsOn = (db: Queryable, serverId: string) =>
  accounts(db).where('server_id', '=', serverId).orderBy('users.id').execute()

/** The accounts that a change in the directory affects now: those with a session or an access token. */
export const inUse = (db: Queryable, serverId: string) =>
  accounts(db)
    .where('server_id', '=', serverId)
    .where(
      sql<boolean>`(exists (select from sessions s where s.user_id = users.id)
        or exists (select from access_tokens t where t.user_id = users.id))`,
    )
    .orderBy('users.id')
    .execute()

export const keepAccount = (tx: Transaction, row: Insertable<LdapAccountRow>) =>
  tx
    .insertInto('ldap_accounts')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute()
export const updateAccount = (tx: Transaction, userId: string, values: Updateable<LdapAccountRow>) =>
  tx.updateTable('ldap_accounts').set(values).where('user_id', '=', userId).execute()
