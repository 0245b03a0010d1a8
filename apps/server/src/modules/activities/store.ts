import { sql } from 'kysely'
import type { ActivityFilter, AuditVerification } from '@flotilla/contract/people/activities'
import { subjectTexts } from '@flotilla/contract/people/audit'
import type { Cursor } from '../../db/cursors'
import type { Database, Queryable, Transaction } from '../../db/database'
import type { NewActivity } from '../../db/tables/activities'
import { contentColumn, type Head } from './records'

export const insert = (tx: Transaction, rows: NewActivity | NewActivity[]) =>
  tx.insertInto('activities').values(rows).execute()

/** Newest first. Each filter has an index that is in this order. */
export const searchQuery = (
  db: Queryable,
  { person, subject, subjectId, action, from, to }: ActivityFilter,
  limit: number,
  after: Cursor | undefined,
) => {
  let query = db.selectFrom('activities').selectAll()
  if (person !== undefined) query = query.where('actor', '=', person)
  if (subject !== undefined) query = query.where('subject', 'in', subjectTexts(subject))
  if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId)
  if (action !== undefined) query = query.where('action', '=', action)
  if (from !== undefined) query = query.where('time', '>=', new Date(from))
  if (to !== undefined) query = query.where('time', '<', new Date(to))
  return query
    .where(after ? sql<boolean>`(time, id) < (${after.at}, ${after.id}::bigint)` : sql<boolean>`true`)
    .orderBy('time', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
}
export const search = (...[db, filter, limit, after]: Parameters<typeof searchQuery>) =>
  searchQuery(db, filter, limit, after).execute()

/** The sealed signing key. When servers start at once, one of them creates it and signs the empty chain. */
export async function signatureKey(
  db: Queryable,
  make: (head: Head) => { sealed_key: string; signature: string },
): Promise<string> {
  const read = () =>
    db
      .selectFrom('audit_state')
      .select(['sealed_key', 'position', 'hash', 'unsigned_until'])
      .executeTakeFirstOrThrow()
  const { sealed_key: known, ...empty } = await read()
  if (known !== null) return known
  const made = make(empty)
  await db.updateTable('audit_state').set(made).where('sealed_key', 'is', null).execute()
  return (await read()).sealed_key ?? made.sealed_key
}

/** Null before a server of this version has started. */
export const knownSignatureKey = async (db: Queryable): Promise<string | null> => {
  const { rows } = await sql<{
    found: boolean
  }>`select to_regclass('audit_state') is not null as found`.execute(db)
  if (!rows[0]?.found) return null
  return (await db.selectFrom('audit_state').select('sealed_key').executeTakeFirstOrThrow()).sealed_key
}

const headColumns = ['position', 'hash', 'signature', 'unsigned_until'] as const
/** The recorded end of the chain, locked until the transaction ends; undefined while another server holds the lock. */
export const lockHead = (tx: Transaction) =>
  tx.selectFrom('audit_state').select(headColumns).forUpdate().skipLocked().executeTakeFirst()

export const setHead = (tx: Transaction, head: Head & { signature: string }) =>
  tx.updateTable('audit_state').set(head).execute()

/** The recorded end of the chain and its actual last position, which are written in one transaction. */
export const head = (db: Queryable) =>
  db
    .selectFrom('audit_state')
    .select(headColumns)
    .select((state) =>
      state
        .selectFrom('audit_chain')
        .select(({ fn, lit }) => fn.coalesce(fn.max('position'), lit(0)).as('last'))
        .as('last'),
    )
    .executeTakeFirstOrThrow()

export const lastId = async (db: Queryable): Promise<number> =>
  (await db.selectFrom('activities').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? 0

/** A record with its signature and the content that was signed. */
export type SignedRecord = { id: number; signature: string | null; content: string }

/** Records that are not in the chain, with an ID above `after` and up to `upTo`. */
export async function unchained(
  tx: Queryable,
  after: number,
  upTo: number,
  limit: number,
): Promise<SignedRecord[]> {
  const { rows } = await sql<SignedRecord>`
    select a.id, a.signature, ${sql.raw(contentColumn)} as content from activities a
    where a.id > ${after} and a.id <= ${upTo}
      -- The range is repeated so that the whole chain is not read for a few records.
      and not exists (
        select from audit_chain c
        where c.activity_id = a.id and c.activity_id > ${after} and c.activity_id <= ${upTo})
    order by a.id limit ${limit}`.execute(tx)
  return rows
}

export const addLinks = (
  tx: Transaction,
  added: { position: number; activity_id: number; hash: string }[],
) => {
  const column = <Key extends keyof (typeof added)[number]>(key: Key) => added.map((link) => link[key])
  return sql`
    insert into audit_chain (position, activity_id, hash)
    select * from unnest(${column('position')}::bigint[], ${column('activity_id')}::bigint[], ${column('hash')}::text[])
  `.execute(tx)
}

export type Link = {
  position: number
  hash: string
  activityId: number
  /** Null when the record is missing. */
  record: Omit<SignedRecord, 'id'> | null
}

/**
 * Links of the chain with their records, in order. Rows are read as arrays rather than objects, because a verification
 * may read a million of them.
 */
export async function links({ pool }: Database, after: number, upTo: number, limit: number): Promise<Link[]> {
  const { rows } = await pool.query<[number, string, number, string | null, string | null]>({
    name: 'audit-links',
    text: `
      select c.position, c.hash, c.activity_id, a.signature, case when a.id is not null then ${contentColumn} end
      from audit_chain c left join activities a on a.id = c.activity_id
      where c.position > $1 and c.position <= $2 order by c.position limit $3`,
    values: [after, upTo, limit],
    rowMode: 'array',
  })
  return rows.map(([position, hash, activityId, signature, content]) => ({
    position,
    hash,
    activityId,
    record: content === null ? null : { signature, content },
  }))
}

/** The names of the triggers and unique indexes in force, which refuse changes. */
export async function protections(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tgname as name from pg_trigger
      where tgrelid in ('activities'::regclass, 'audit_chain'::regclass) and tgenabled in ('O', 'A')
    union all
    select relname from pg_index join pg_class on pg_class.oid = indexrelid
      where indrelid = 'activities'::regclass and indisunique and indisvalid`.execute(db)
  return rows.map(({ name }) => name)
}

export const verification = (db: Queryable) =>
  db.selectFrom('audit_state').select(['checked_at', 'checked_records', 'problem']).executeTakeFirstOrThrow()

export const keepVerification = (
  tx: Transaction,
  at: Date,
  { records, problem }: Omit<AuditVerification, 'checkedAt'>,
) =>
  tx
    .updateTable('audit_state')
    .set({ checked_at: at, checked_records: records, problem: problem && JSON.stringify(problem) })
    .execute()
