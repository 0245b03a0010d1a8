import type { Logger } from 'pino'
import type { Database, Transaction } from '../../db/database'
import type { AuditSource } from '../../http/caller'
import { fieldsOf, headText, linkText, recordText, type Head } from './records'
import * as store from './store'

type Sign = AuditSource['sign']

/**
 * The delay between a write and its chaining. Writers do not wait for each other, so records are chained in batches.
 */
const CHAIN_DELAY_MS = 1000
const BATCH = 2000
/** Unchained records are searched for in ID ranges of this size. */
const RANGE = 100_000
/** A record whose transaction commits later than this after its ID was assigned is chained by the full pass. */
const LATE_MS = 30_000
const FULL_PASS_MS = 3_600_000

/** Whether an unchained record is exactly as a server wrote it. */
export const isGenuine = (
  { id, signature, content }: store.SignedRecord,
  unsignedUntil: number,
  sign: Sign,
): boolean => (signature === null ? id <= unsignedUntil : signature === sign(recordText(fieldsOf(content))))

/** Writes to the chain, unless another server is writing to it. */
const withHead = <T>(
  db: Database,
  sign: Sign,
  otherwise: T,
  work: (tx: Transaction, head: Head) => Promise<{ result: T; head?: Head }>,
): Promise<T> =>
  db.transaction(async (tx) => {
    const locked = await store.lockHead(tx)
    if (!locked) return otherwise
    if (locked.signature !== sign(headText(locked)))
      throw new Error('The end of the audit chain was changed by hand. Run: npm run audit -- verify')
    const { result, head } = await work(tx, locked)
    if (head) await store.setHead(tx, { ...head, signature: sign(headText(head)) })
    return result
  })

/** Chains a batch of unchained records. A record that no server signed is left for the verification to report. */
const extend = (db: Database, sign: Sign, after: number, upTo: number) =>
  withHead(db, sign, { seen: 0, last: after }, async (tx, { position, hash, unsigned_until }) => {
    const records = await store.unchained(tx, after, upTo, BATCH)
    const links = records.flatMap((record) => {
      if (!isGenuine(record, unsigned_until, sign)) return []
      position++
      hash = sign(linkText(hash, position, record.id, record))
      return [{ position, activity_id: record.id, hash }]
    })
    const result = { seen: records.length, last: records.at(-1)?.id ?? after }
    if (links.length === 0) return { result }
    await store.addLinks(tx, links)
    return { result, head: { position, hash, unsigned_until } }
  })

/** Once the records from before signatures are chained, no other unsigned record is accepted. */
const requireSignatures = (db: Database, sign: Sign) =>
  withHead(db, sign, undefined, async (_tx, head) => ({
    result: undefined,
    ...(head.unsigned_until > 0 && { head: { ...head, unsigned_until: 0 } }),
  }))

/** Appends every record to the chain shortly after it was written. */
export function makeChain({
  db,
  sign,
  log,
  now,
}: {
  db: Database
  sign: Sign
  log: Logger
  now: () => number
}) {
  /** Up to which record everything was chained, and at what time. */
  const marks: { at: number; id: number }[] = []
  let fullPassAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let working = Promise.resolve()
  let stopped = false

  const startOf = (at: number): number => {
    if (at - fullPassAt >= FULL_PASS_MS) return 0
    while (marks[1] && marks[1].at <= at - LATE_MS) marks.shift()
    return marks[0]?.id ?? 0
  }

  const run = async (): Promise<void> => {
    const at = now()
    const start = startOf(at)
    const upTo = await store.lastId(db.kysely)
    for (let after = start; after < upTo; after += RANGE) {
      const end = Math.min(after + RANGE, upTo)
      for (let next = after; next < end;) {
        const { seen, last } = await extend(db, sign, next, end)
        next = seen < BATCH ? end : last
      }
    }
    if (start === 0) {
      await requireSignatures(db, sign)
      fullPassAt = at
    }
    marks.push({ at, id: upTo })
  }
  /** Chains everything that is committed. */
  const catchUp = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    // A sweep may be in progress while the server stops. The next start chains the rest.
    if (stopped) return working
    working = working.then(run).catch((error: unknown) => {
      log.error({ err: error }, 'the audit trail was not chained')
    })
    return working
  }
  return {
    /** Called when a record is being written, to chain it shortly after. */
    soon(): void {
      timer ??= setTimeout(() => void catchUp(), CHAIN_DELAY_MS).unref()
    },
    catchUp,
    async stop(): Promise<void> {
      if (timer) await catchUp()
      await working
      stopped = true
    },
  }
}
