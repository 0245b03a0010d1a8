import type { Database, Transaction } from '../../db/database'
import { messageOf } from '../../explain'
import type { RequestContext } from '../../http/caller'
import { batched } from '../../timing/batched'
import { isJobId } from '../../schedulers/bounds'
import { SchedulerError } from '../../schedulers/error'
import type { JobRequest } from '../../schedulers/scheduler'
import { TransportError } from '../../transports/error'
import type { ClusterAccess } from '../clusters/open'
import { filesOf, makeFolder, removeFolder } from './folder'
import { notifyJobsChanged } from './jobs'
import { isUnavailable, nextTry } from './retries'
import * as store from './store'

type Row = store.FoundSubmission
type Connected = Awaited<ReturnType<ClusterAccess['forSubmission']>>
type FoundCluster = Connected['cluster']

const SUBMIT_MS = 30_000
/** How long an attempt may be in progress on any server; only after that may there be another one. */
const MAY_ARRIVE_MS = 2 * 60_000
/** After this time resource managers may have forgotten a job, so a job that is not found may still have existed. */
const FORGOTTEN_MS = 4 * 60_000
const RETRY_MS = 20_000
const NOTE_MS = 30
const UNSURE =
  'It is unknown whether the cluster received the job. Check the cluster before you submit it again.'
const UNCONFIRMED =
  'The cluster has not confirmed the job. The console is checking for it. Do not submit it again.'
const GAVE_UP = 'The resource manager did not respond for a day, so the job was not submitted.'
const REMOVED = 'The user who submitted it was removed before the cluster confirmed the job'

const OUTPUT = 'output.txt'

/** The command definitely did not reach the cluster. */
const notSent = new Set([
  'unreachable',
  'refused',
  'host key changed',
  'not ssh',
  'busy',
  'bad name',
  'unusable',
  'denied',
])
const isRefusal = (error: unknown): boolean =>
  error instanceof SchedulerError
    ? error.code !== 'controller_down'
    : error instanceof TransportError && notSent.has(error.reason)

type Options = {
  db: Database
  clusterAccess: ClusterAccess
  /** Schedules the reconciliation of a submission that has not arrived or whose arrival is unknown. */
  reconcileLater: (tx: Transaction, id: string, at?: Date) => Promise<void>
  notifySoon: (userId: string) => void
  now: () => number
}

/**
 * Sends submissions to the resource manager exactly once, even after crashes and lost replies. A submission's id is the
 * mark by which its job is found.
 */
export function makeSending({ db, clusterAccess, reconcileLater, notifySoon, now }: Options) {
  /** The submissions that this server is currently sending. */
  const inFlight = new Map<string, { canceled: boolean }>()

  /** Stores numbers in batches: many arrive at once, and none is urgent, since the submitter already has the number. */
  const storeNumber = batched(NOTE_MS, (all: store.Arrival[]) => store.reconcileSubmissions(db, all))

  const request = (row: Row, { connection, cluster }: Connected): JobRequest => {
    const { array, ...data } = row.data
    const partition = clusterAccess.partitionOf(cluster)
    const workdir = `${connection.home}/${row.folder}`
    return {
      name: row.job_name,
      ...data,
      ...(array && { array }),
      ...(partition && { partition }),
      workdir,
      stdoutPath: `${workdir}/${OUTPUT}`,
    }
  }

  const end = (row: Row, state: 'failed' | 'lost', reason: string): Promise<boolean> =>
    db.transaction(async (tx) => {
      const ended = await store.updateSubmission(tx, row.id, { state, reason, ended_at: new Date(now()) })
      if (ended && row.user_id) await notifyJobsChanged(tx, row.user_id)
      return ended
    })

  /** Schedules another attempt for a submission that did not arrive. */
  const postpone = async (row: Row, error: unknown): Promise<Row> => {
    const tries = row.tries + 1
    const next = nextTry(tries, now())
    const reason = messageOf(error)
    if (!next) {
      await end(row, 'failed', `${GAVE_UP} ${reason}`)
      return { ...row, state: 'failed' }
    }
    const values = { tries, next_try_at: next, retry_reason: reason }
    await db.transaction(async (tx) => {
      if (!(await store.updateSubmission(tx, row.id, values))) return
      await reconcileLater(tx, row.id, next)
      if (row.user_id) await notifyJobsChanged(tx, row.user_id)
    })
    return { ...row, ...values }
  }

  /** Records the arrival with this number. If it was canceled in the meantime, it is canceled on the cluster too. */
  const arrived = async (row: Row, { connection, cluster }: Connected, nativeId: string): Promise<Row> => {
    if (!isJobId(nativeId)) {
      await end(row, 'lost', UNSURE)
      return row
    }
    const after = await storeNumber({ id: row.id, nativeId })
    if (row.user_id) notifySoon(row.user_id)
    if (after?.state === 'canceled')
      await clusterAccess.query(connection, connection.scheduler.cancel(nativeId))
    clusterAccess.expect(cluster.id)
    return after ?? row
  }

  /** Whether the job has written output and therefore ran, even if the resource manager has forgotten it. */
  const hasOutput = async (row: Row, { connection }: Connected): Promise<boolean> => {
    try {
      const { entries } = await filesOf(connection, row).list('')
      return entries.some(({ name }) => name.startsWith(OUTPUT))
    } catch (error) {
      const reason = error instanceof TransportError ? error.reason : undefined
      if (reason === 'not found') return false
      // A link in place of the folder was created by the job itself, so it ran.
      if (reason === 'outside') return true
      throw error
    }
  }

  /**
   * Slow preparations start immediately; the job itself is only sent when the submission is `written`. Fails if that
   * fails, if the job is rejected, which ends it, or if its outcome is unknown: then it stays open until it is
   * reconciled. Returns the current submission if it waits to be sent again, or was delivered but not found yet.
   */
  const submit = async (
    row: Row,
    written: Promise<unknown>,
    cluster?: FoundCluster,
  ): Promise<{ connected: Connected; id: string } | { open: Row }> => {
    let sent = false
    let undo = async (): Promise<void> => {}
    try {
      const connected = await clusterAccess.forSubmission(row, cluster)
      const { connection } = connected
      const query = connection.scheduler.submit(request(row, connected), row.id)
      const folder = makeFolder(connection, row)
      undo = () => folder.then(() => removeFolder(connection, row)).catch(() => {})
      const mayStart = clusterAccess.requireMayStart(row, connected.cluster)
      const ready = Promise.all([written, folder, mayStart]).then(() => (sent = true))
      ready.catch(() => {}) // the caller may have failed before
      const id =
        (await clusterAccess.query(connection, query, SUBMIT_MS, ready)) ||
        (await clusterAccess
          .queryInTurn(connection, connection.scheduler.findByMark(row.id))
          .catch(() => undefined))
      if (id !== undefined && isJobId(id)) return { connected, id }
      // It was accepted without output, so it exists and is never sent again.
      await store.updateSubmission(db.kysely, row.id, { state: 'queued' })
      return { open: { ...row, state: 'queued' } }
    } catch (error) {
      try {
        await written
      } catch (writeError) {
        void undo()
        throw writeError
      }
      const notDelivered = error instanceof SchedulerError && error.notDelivered
      // During a retry the head node may be unreachable too, for example because it is restarted.
      const stillAway = row.tries > 0 && isUnavailable(error) && (!sent || isRefusal(error))
      if (notDelivered || stillAway) return { open: await postpone(row, error) }
      if (!sent || isRefusal(error)) await end(row, 'failed', messageOf(error))
      throw error
    }
  }

  /**
   * Returns as soon as the job was delivered, without waiting for its number to be stored. If storing fails, the number
   * is found again by the mark, as after a lost reply.
   */
  const send = async (row: Row, written: Promise<unknown>, cluster: FoundCluster): Promise<Row> => {
    const sending = { canceled: false }
    inFlight.set(row.id, sending)
    try {
      const answer = await submit(row, written, cluster)
      if ('open' in answer) return answer.open
      const { connected, id } = answer
      const after = arrived(row, connected, id)
      if (sending.canceled) return await after
      after.catch(() => {})
      return { ...row, native_id: id, state: 'queued' }
    } catch (error) {
      const left = await store.submission(db.kysely, row.id)
      if (left?.state !== 'submitting') throw error
      // A plain "not responding" would lead users to submit the job again.
      throw new SchedulerError('controller_down', UNCONFIRMED, messageOf(error))
    } finally {
      inFlight.delete(row.id)
    }
  }

  const sendAgain = async (row: Row): Promise<void> => {
    try {
      const answer = await submit(row, Promise.resolve())
      if ('id' in answer) await arrived(row, answer.connected, answer.id)
    } catch (error) {
      // A rejection has already been recorded.
      if (!isRefusal(error)) throw error
    }
  }

  return {
    send,

    /**
     * Checks whether a submission of unknown outcome arrived, and sends it again only if it certainly did not. If the
     * resource manager was unavailable, it is retried for hours. Returns when to check again if it is too early to
     * tell; fails if the cluster cannot be queried.
     */
    async reconcile(id: string, lastAttempt: boolean): Promise<Date | null> {
      const row = await store.submission(db.kysely, id)
      const isOpen = row?.native_id === null && (row.ended_at === null || row.state === 'canceled')
      if (!row || !isOpen) return null
      const { next_try_at: due } = row
      const waits = due !== null
      if (waits && row.ended_at !== null) return null
      if (waits && due.getTime() > now()) return due
      const sentAt = (row.sent_at ?? row.submitted_at).getTime()
      let sentAgain = false
      try {
        const connected = await clusterAccess.forSubmission(row)
        const { connection } = connected
        const safe = clusterAccess.submitsOnce(connected.cluster)
        const found = await clusterAccess.queryInTurn(connection, connection.scheduler.findByMark(row.id))
        if (found !== undefined) await arrived(row, connected, found)
        else if (!waits && now() - sentAt < MAY_ARRIVE_MS && !(safe && row.ended_at === null))
          return new Date(Math.min(now() + RETRY_MS, sentAt + MAY_ARRIVE_MS))
        // No other account may run the removed user's job, least of all the one that administers the cluster.
        else if (row.ended_at === null && row.user_id === null && !row.run_as_admin)
          await end(row, 'lost', REMOVED)
        else if (row.ended_at === null) {
          const forgotten = !waits && !safe && now() - sentAt > FORGOTTEN_MS
          const unsure = forgotten || row.state !== 'submitting' || (await hasOutput(row, connected))
          if (unsure) await end(row, 'lost', UNSURE)
          // Only one of two concurrent reconciliations sends it; for later ones it is in flight again.
          else if (await store.claim(db.kysely, row, new Date(now()))) {
            sentAgain = true
            await sendAgain(row)
          }
        }
      } catch (error) {
        if (waits && !sentAgain && isUnavailable(error)) await postpone(row, error)
        else if (!lastAttempt) throw error
        else await end(row, 'lost', `${UNSURE} (${messageOf(error)})`)
      }
      return null
    },

    /** Ends a submission that has not arrived. If it arrives later, it is canceled then. Returns whether it ended. */
    cancelUnsent: (row: Row, context: RequestContext): Promise<boolean> =>
      context.transaction(async (tx) => {
        const reason = 'Canceled before the cluster accepted it'
        const values = { state: 'canceled', reason, ended_at: new Date(now()) } as const
        if (!(await store.endUnsent(tx, row.id, values))) return false
        await reconcileLater(tx, row.id)
        const sending = inFlight.get(row.id)
        if (sending) sending.canceled = true
        if (row.user_id) await notifyJobsChanged(tx, row.user_id)
        return true
      }),
  }
}
