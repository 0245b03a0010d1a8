import type { AuditVerification } from '@flotilla/contract/people/activities'
import type { Database } from '../../db/database'
import type { AuditSource } from '../../http/caller'
import { isGenuine } from './chain'
import { fieldsOf, headText, linkText, recordText } from './records'
import * as store from './store'

const BATCH = 5000
const RANGE = 100_000

type Problem = NonNullable<AuditVerification['problem']>
export type Verified = {
  /** Chained records that were verified as intact. */
  records: number
  /** Records that were written a moment ago and are not chained yet. */
  pending: number
  /** The end of the chain. Stored elsewhere, it later proves that nothing before it was removed. */
  head: { position: number; hash: string }
  problem: Problem | null
}

const broken = (record: number | null, text: string): Problem => ({
  record: record === null ? null : String(record),
  text,
})

/**
 * Verifies the chain from its beginning and names the first record that was changed or is missing. Records are read in
 * batches; records that are added in the meantime do not affect the result.
 */
export async function verifyTrail(
  db: Database,
  sign: AuditSource['sign'],
  onProgress: (records: number, of: number) => void = () => {},
): Promise<Verified> {
  const head = await store.head(db.kysely)
  const state = { records: 0, pending: 0, head: { position: head.position, hash: head.hash } }

  let hash = ''
  for await (const links of batches(db, head.position)) {
    for (const link of links) {
      const problem = problemOf(link, state.records + 1, hash, sign)
      if (problem) return { ...state, problem }
      state.records++
      hash = link.hash
    }
    onProgress(state.records, head.position)
  }
  const problem =
    problemOfHead(head, state.records, hash, sign) ??
    (await unchainedProblem(db, sign, head.unsigned_until, (count) => (state.pending += count))) ??
    (await missingProtection(db))
  return { ...state, problem }
}

/** The chain up to its end, in batches; each batch is read while the one before it is verified. */
async function* batches(db: Database, end: number): AsyncGenerator<store.Link[]> {
  const read = (after: number) => store.links(db, after, end, BATCH)
  let coming = read(0)
  try {
    for (;;) {
      const links = await coming
      const last = links.at(-1)
      if (!last) return
      coming = read(last.position)
      yield links
    }
  } finally {
    // The batch read ahead is not needed if a problem was found.
    await coming.catch(() => {})
  }
}

function problemOf(
  { position, activityId, hash, record }: store.Link,
  expected: number,
  previous: string,
  sign: AuditSource['sign'],
): Problem | null {
  if (position !== expected)
    return broken(
      activityId,
      `The record before record ${activityId}, at position ${expected} of the chain, was removed`,
    )
  if (!record) return broken(activityId, `Record ${activityId} was removed`)
  if (sign(linkText(previous, position, activityId, record)) === hash) return null
  // A record from before signatures is protected by its link alone.
  if (record.signature !== null && record.signature !== sign(recordText(fieldsOf(record.content))))
    return broken(activityId, `Record ${activityId} was changed`)
  const moved = `it is not the one that was written at position ${position} of the chain`
  return broken(
    activityId,
    record.signature === null
      ? `Record ${activityId} was changed, or ${moved}`
      : `Record ${activityId} was moved: ${moved}. Records were reordered, or one before it was removed`,
  )
}

function problemOfHead(
  head: Awaited<ReturnType<typeof store.head>>,
  records: number,
  hash: string,
  sign: AuditSource['sign'],
): Problem | null {
  if (records < head.position)
    return broken(
      null,
      `The last ${head.position - records} records of the chain were removed: it ends at position ${records} instead of ${head.position}`,
    )
  if (head.signature !== sign(headText(head)) || head.hash !== hash || head.last !== head.position)
    return broken(
      null,
      'The recorded end of the chain was changed, so the last records may have been removed',
    )
  return null
}

/** The records that are not in the chain: a server signed them a moment ago, or someone inserted them by hand. */
async function unchainedProblem(
  db: Database,
  sign: AuditSource['sign'],
  unsignedUntil: number,
  countPending: (count: number) => void,
): Promise<Problem | null> {
  const last = await store.lastId(db.kysely)
  for (let after = 0; after < last; after += RANGE) {
    const end = Math.min(after + RANGE, last)
    for (let next = after; next < end;) {
      const records = await store.unchained(db.kysely, next, end, BATCH)
      const forged = records.find((record) => !isGenuine(record, unsignedUntil, sign))
      if (forged)
        return broken(forged.id, `Record ${forged.id} was inserted or changed by hand: no server signed it`)
      countPending(records.length)
      next = records.length < BATCH ? end : (records.at(-1)?.id ?? end)
    }
  }
  return null
}

const protections = ['activities_append_only', 'audit_chain_append_only', 'activities_by_entry']
async function missingProtection(db: Database): Promise<Problem | null> {
  const inForce = await store.protections(db.kysely)
  const missing = protections.filter((name) => !inForce.includes(name))
  if (missing.length === 0) return null
  return broken(
    null,
    `No record was changed, but changes are no longer refused: ${missing.join(', ')} was removed or disabled in the database`,
  )
}
