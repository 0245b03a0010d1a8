import { messages } from '@flotilla/contract/messages'
import type { Database, Transaction } from '../../db/database'
import { messageOf } from '../../explain'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import type { ClusterAccess } from '../clusters/open'
import { notifyJobsChanged } from './jobs'
import { cannotCancelYet, isUnavailable, nextTry } from './retries'
import type { makeSending } from './send'
import * as store from './store'

type Row = store.FoundSubmission

type Options = {
  db: Database
  clusterAccess: ClusterAccess
  sending: Pick<ReturnType<typeof makeSending>, 'cancelUnsent'>
  /** Schedules another try. */
  cancelAt: (tx: Transaction, id: string, at: Date) => Promise<void>
  now: () => number
}

/** Cancels submissions, with retries until their resource manager can do it. */
export function makeCanceling({ db, clusterAccess, sending, cancelAt, now }: Options) {
  const noRetry = { tries: 0, next_try_at: null, retry_reason: null }

  const cancelThere = async (row: Row, nativeId: string, context?: RequestContext): Promise<void> => {
    const { connection } = await clusterAccess.forSubmission(row)
    await context?.recheck()
    await clusterAccess.query(connection, connection.scheduler.cancel(nativeId))
    await store.updateSubmission(db.kysely, row.id, { ...noRetry, cancel_asked_at: new Date(now()) })
  }

  const postpone = (row: Row, error: unknown): Promise<void> =>
    db.transaction(async (tx) => {
      const tries = row.tries + 1
      const next = nextTry(tries, now())
      const values = next
        ? { tries, next_try_at: next, retry_reason: messageOf(error), cancel_asked_at: new Date(now()) }
        : { ...noRetry, cancel_asked_at: null }
      if (!(await store.updateSubmission(tx, row.id, values))) return
      if (next) await cancelAt(tx, row.id, next)
      if (row.user_id) await notifyJobsChanged(tx, row.user_id)
    })

  return {
    async cancel(given: Row, context: RequestContext): Promise<void> {
      if (given.native_id === null && (await sending.cancelUnsent(given, context))) return
      const row = given.native_id === null ? await store.submission(db.kysely, given.id) : given
      if (!row?.native_id) return fail('wrong_state', { message: 'The job has already ended' })
      try {
        await cancelThere(row, row.native_id, context)
      } catch (error) {
        if (!cannotCancelYet(error)) throw clusterAccess.asFailure(error)
        await postpone(row, error)
      }
    },

    /** Removes the job from the queue without contacting its node, as the account that administers the cluster. */
    async purge(row: Row, me: Caller, context: RequestContext): Promise<void> {
      if (row.native_id === null) return fail('wrong_state', { message: 'The job is not in a queue yet' })
      await context.recheck()
      await clusterAccess.withUserFacingErrors(
        clusterAccess.asAdmin(
          row,
          ({ purge }, number) => purge?.(number) ?? fail('wrong_state', { message: messages.cannotPurge }),
        ),
      )
      await store.updateSubmission(db.kysely, row.id, {
        state: 'canceled',
        reason: `Purged by ${me.username}: its node did not respond`,
        ended_at: new Date(now()),
      })
    },

    /** Retries a cancellation that failed. Returns when to run again if it is too early. */
    async retry(id: string): Promise<Date | null> {
      const row = await store.submission(db.kysely, id)
      if (!row?.native_id || row.ended_at !== null || row.cancel_asked_at === null) return null
      if (row.next_try_at === null || row.next_try_at.getTime() > now()) return row.next_try_at
      try {
        await cancelThere(row, row.native_id)
      } catch (error) {
        if (cannotCancelYet(error) || isUnavailable(error)) await postpone(row, error)
        // The job has ended by itself, or canceling it is no longer permitted.
        else await store.updateSubmission(db.kysely, id, { ...noRetry, cancel_asked_at: null })
      }
      return null
    },
  }
}
