import { sql, type Insertable, type Selectable } from 'kysely'
import type { AccessToken } from '@flotilla/contract/people/access-tokens'
import type { Queryable, Transaction } from '../../db/database'
import type { AccessTokenRow } from '../../db/tables/people'

const asToken = (row: Selectable<AccessTokenRow>): AccessToken => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  createdAt: row.created_at.getTime(),
  expiresAt: row.expires_at.getTime(),
  lastUsedAt: row.last_used_at?.getTime() ?? null,
  lastUsedAddress: row.last_used_address,
})

/** The token with its user's current data; undefined if that user could no longer log in. */
export const findWorking = (db: Queryable, hash: string, now: Date) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .select([
      'access_tokens.id',
      'access_tokens.scope',
      'access_tokens.last_used_at as lastUsedAt',
      'users.id as userId',
      'users.username',
      'users.role',
    ])
    .where('access_tokens.hash', '=', hash)
    .where('users.verified', '=', true)
    .where(sql<boolean>`least(access_tokens.expires_at, users.end_time) > ${now}`)
    .executeTakeFirst()

export const touch = (db: Queryable, id: string, address: string, at: Date, notSince: Date) =>
  db
    .updateTable('access_tokens')
    .set({ last_used_at: at, last_used_address: address })
    .where('id', '=', id)
    .where((either) =>
      either.or([either('last_used_at', 'is', null), either('last_used_at', '<=', notSince)]),
    )
    .execute()

export const listOf = async (db: Queryable, userId: string): Promise<AccessToken[]> => {
  const rows = await db
    .selectFrom('access_tokens')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(asToken)
}

export const count = async (tx: Transaction, userId: string): Promise<number> => {
  const row = await tx
    .selectFrom('access_tokens')
    .select((all) => all.fn.countAll<string>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export const insert = async (tx: Transaction, row: Insertable<AccessTokenRow>): Promise<AccessToken> =>
  asToken(await tx.insertInto('access_tokens').values(row).returningAll().executeTakeFirstOrThrow())

export const remove = (tx: Transaction, id: string, userId: string) =>
  tx
    .deleteFrom('access_tokens')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('name')
    .executeTakeFirst()

export const removeAll = (tx: Transaction, userId: string) =>
  tx.deleteFrom('access_tokens').where('user_id', '=', userId).execute()

export const removeExpired = (db: Queryable, before: Date) =>
  db.deleteFrom('access_tokens').where('expires_at', '<', before).execute()

export const sealedTokenKey = async (db: Queryable): Promise<string | null> =>
  (await db.selectFrom('site_settings').select('sealed_token_key').executeTakeFirstOrThrow()).sealed_token_key
