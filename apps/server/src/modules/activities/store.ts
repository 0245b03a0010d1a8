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

/** The sealed key of the signatures. Of servers that start at once one makes it, and signs the chain that has no links yet. */
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
/** The end of the chain as it is recorded, held until the transaction ends; undefined while another server holds it. */
export const lockHead = (tx: Transaction) =>
  tx.selectFrom('audit_state').select(headColumns).forUpdate().skipLocked().executeTakeFirst()

export const setHead = (tx: Transaction, head: Head & { signature: string }) =>
  tx.updateTable('audit_state').set(head).execute()

/** The end of the chain as it is recorded, and as it is: both are written in one transaction. */
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

/** A record as it is signed. */
export type SignedRecord = { id: number; signature: string | null; content: string }

/** Records without a place in the chain, of those after one and up to another. */
export async function unchained(
  tx: Queryable,
  after: number,
  upTo: number,
  limit: number,
): Promise<SignedRecord[]> {
  const { rows } = await sql<SignedRecord>`
    select a.id, a.signature, ${sql.raw(contentColumn)} as content from activities a
    where a.id > ${after} and a.id <= ${upTo}
      -- The range again, so that the whole chain is not read for a few records.
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
  /** Null when it is gone. */
  record: Omit<SignedRecord, 'id'> | null
}

/**
 * Links of the chain with their records, in order. As lists and not as objects: a million of them are read by a
 * verification.
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

/** What refuses changes, by the name of each trigger and index that is there and in force. */
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
