import { sql, type Insertable, type Updateable } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { isAdmin, isParticipant } from '@flotilla/contract/access'
import type { User } from '@flotilla/contract/people/users'
import { newestFirst, type Cursor } from '../../db/cursors'
import type { Queryable, Transaction } from '../../db/database'
import { isAdminSql } from '../../db/owned'
import type { UserRow } from '../../db/tables/people'
import { isSameAccount } from '../../db/job-owners'

const RECENT_ACTIVITIES = 10

const people = (db: Queryable) =>
  db
    .selectFrom('users')
    .selectAll('users')
    .select((row) => [
      jsonArrayFrom(
        row
          .selectFrom('activities')
          .select([
            sql<number>`round(extract(epoch from activities.time) * 1000)`.as('time'),
            'activities.action',
            'activities.subject',
            'activities.detail',
          ])
          .whereRef('activities.actor_id', '=', 'users.id')
          .orderBy('activities.id', 'desc')
          .limit(RECENT_ACTIVITIES),
      ).as('activities'),
      row
        .selectFrom('sessions')
        .select((session) => session.fn.max('sessions.last_active_at').as('at'))
        .whereRef('sessions.user_id', '=', 'users.id')
        .as('last_active_at'),
    ])

type PersonRow = Awaited<ReturnType<ReturnType<typeof people>['executeTakeFirstOrThrow']>>

const asUser = (row: PersonRow): User => ({
  id: row.id,
  username: row.username,
  firstName: row.first_name,
  lastName: row.last_name,
  email: row.email,
  role: row.role,
  admin: isAdmin(row),
  activities: row.activities,
  verified: row.verified,
  participant: isParticipant(row),
  participantEmail: row.participant_email,
  sessionCode: row.session_code,
  endTime: row.end_time?.getTime() ?? null,
  providers: row.providers,
  unixAccount: row.unix_account,
  authType: row.auth_type,
  registered: row.registered,
  approvedAt: row.approved_at?.getTime() ?? null,
  approvedBy: row.approved_by,
  createdAt: row.created_at.getTime(),
  lastSeenAt: (row.last_active_at ?? row.last_login_at)?.getTime() ?? null,
})

export async function find(db: Queryable, id: string): Promise<User | null> {
  const row = await people(db).where('users.id', '=', id).executeTakeFirst()
  return row ? asUser(row) : null
}

export const findAll = async (db: Queryable, ids: string[]): Promise<User[]> =>
  (await people(db).where('users.id', 'in', ids).orderBy('users.username').execute()).map(asUser)

/** Locks users in order of their ids, so that concurrent transactions do not deadlock. */
export const lockPeople = (tx: Transaction, ids: string[]) =>
  tx
    .selectFrom('users')
    .select(['id', 'username', 'email', 'role', 'registered', 'approved_at'])
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()

export const findForLogin = (db: Queryable, username: string) =>
  db
    .selectFrom('users')
    .select([
      'id',
      'username',
      'email',
      'first_name',
      'password_hash',
      'role',
      'verified',
      'end_time',
      'auth_type',
    ])
    .where('username', '=', username)
    .executeTakeFirst()

export async function list(
  db: Queryable,
  {
    search,
    unapproved,
    limit,
    after,
  }: { search?: string; unapproved?: 'true'; limit: number; after?: Cursor },
): Promise<User[]> {
  let query = people(db).$call(newestFirst('users', limit, after))
  if (search) {
    const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`
    query = query.where(
      sql<boolean>`concat_ws(' ', users.username, users.first_name, users.last_name, users.email) ilike ${pattern}`,
    )
  }
  if (unapproved)
    query = query
      .where('users.registered', '=', true)
      .where('users.approved_at', 'is', null)
      .where('users.verified', '=', true)
      .where(sql<boolean>`not ${isAdminSql(sql`users.role`)}`)
  return (await query.execute()).map(asUser)
}

export const insert = (tx: Transaction, row: Insertable<UserRow>) =>
  tx.insertInto('users').values(row).execute()

export const keepNetwork = (
  tx: Transaction,
  row: { user_id: string; network: string; last_login_at: Date },
) =>
  tx
    .insertInto('login_networks')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'network']).doUpdateSet({ last_login_at: row.last_login_at }),
    )
    .execute()
/** The latest first. */
export const loginNetworks = (db: Queryable, since: Date, limit: number) =>
  db
    .selectFrom('login_networks')
    .innerJoin('users', 'users.id', 'login_networks.user_id')
    .select(['users.username', 'login_networks.network'])
    .where('login_networks.last_login_at', '>=', since)
    .orderBy('login_networks.last_login_at', 'desc')
    .limit(limit)
    .execute()
export const forgetNetworks = (db: Queryable, before: Date) =>
  db.deleteFrom('login_networks').where('last_login_at', '<', before).execute()

/** An arbitrary number that no other advisory lock in the database uses. */
const NAMES_LOCK = 7_305_804_420
/**
 * Keeps other transactions from taking names until this one ends: different names may mean the same account, which no
 * unique index detects.
 */
export const lockNames = (tx: Transaction) => sql`select pg_advisory_xact_lock(${NAMES_LOCK})`.execute(tx)

/** Finds another user who already has the name, as their username or Unix account, or the email address. */
export const taken = (
  db: Queryable,
  {
    username,
    unixAccount,
    email,
    exceptId,
  }: { username?: string; unixAccount?: string | null; email?: string; exceptId?: string },
) =>
  db
    .selectFrom('users')
    .select(['username', 'email', 'unix_account'])
    .where((either) =>
      either.or([
        ...[username, unixAccount]
          .filter((name) => typeof name === 'string')
          // Includes names that a resource manager may treat as the same account.
          .flatMap((name) => [
            isSameAccount(sql`username`, sql`${name}::text`),
            isSameAccount(sql`unix_account`, sql`${name}::text`),
          ]),
        // Accounts of a directory may have no address.
        ...(email === undefined || email === '' ? [] : [either('email', '=', email)]),
      ]),
    )
    .$if(exceptId !== undefined, (query) => query.where('id', '<>', exceptId ?? ''))
    .executeTakeFirst()

/** Updates a user. Returns whether the user exists. */
export const update = async (tx: Transaction, id: string, values: Updateable<UserRow>): Promise<boolean> => {
  if (Object.keys(values).length === 0) return lock(tx, id)
  const { numUpdatedRows } = await tx.updateTable('users').set(values).where('id', '=', id).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Updates a user. The end time is never moved to an earlier one. */
export const updateUntil = (tx: Transaction, id: string, end: Date, values: Updateable<UserRow>) =>
  tx
    .updateTable('users')
    .set(values)
    .set({ end_time: sql<Date>`greatest(end_time, ${end})` })
    .where('id', '=', id)
    .returning('username')
    .executeTakeFirstOrThrow()

/** Keeps a user from being removed until the transaction ends. Returns false if there is no such user. */
const lock = async (tx: Transaction, id: string): Promise<boolean> =>
  (await tx.selectFrom('users').select('id').where('id', '=', id).forUpdate().executeTakeFirst()) !==
  undefined

/** The same, and returns what decides whether the user can become an owner. */
export const lockOwner = (tx: Transaction, id: string) =>
  tx.selectFrom('users').select(['end_time', 'role']).where('id', '=', id).forUpdate().executeTakeFirst()

export const lockPassword = async (
  tx: Transaction,
  id: string,
  passwordHash: string | null,
): Promise<boolean> => {
  const row = await tx
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined && row.password_hash === passwordHash
}

/**
 * Locks every admin who can log in permanently, so that two concurrent removals cannot leave none. Directory accounts
 * do not count, because a directory may be down and can take the role away.
 */
export const lockAdmins = async (tx: Transaction): Promise<string[]> => {
  const rows = await tx
    .selectFrom('users')
    .select('id')
    .where(isAdminSql(sql`role`))
    .where('end_time', 'is', null)
    .where('verified', '=', true)
    .where('auth_type', '=', 'local')
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map((row) => row.id)
}

export const remove = (tx: Transaction, id: string) => tx.deleteFrom('users').where('id', '=', id).execute()

export const allNames = (db: Queryable) => db.selectFrom('users').select(['id', 'username']).execute()

export const lockEveryone = (tx: Transaction) => sql`lock table users in share row exclusive mode`.execute(tx)
export const anyUser = (db: Queryable) => db.selectFrom('users').select('id').limit(1).executeTakeFirst()

/** Of two keys generated concurrently, the first one is kept. */
export async function keepSshKey(
  db: Queryable,
  row: { user_id: string; public_key: string; sealed_private_key: string; created_at: Date },
) {
  await db
    .insertInto('user_ssh_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
export const sshKey = (db: Queryable, userId: string) =>
  db.selectFrom('user_ssh_keys').selectAll().where('user_id', '=', userId).executeTakeFirst()
