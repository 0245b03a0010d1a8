import { isClusterActionAllowed } from '@flotilla/contract/clusters/states'
import { countText } from '@flotilla/contract/count-text'
import type { Receipt, TrainingCost } from '@flotilla/contract/trainings/entity'
import { lockPerson } from '../../../db/callers'
import type { Database, Queryable, Transaction } from '../../../db/database'
import { explain } from '../../../explain'
import { fail } from '../../../fail'
import type { AuditSource, Caller } from '../../../http/caller'
import { eachOf } from '../../../timing/workers'
import { record, subjectOf } from '../../activities/activities'
import type { ClustersApi } from '../../clusters/open'
import { makeRuns, type RunContext } from '../../runs/runs'
import type { Users } from '../../users/users'
import { requireNotEnded } from '../participant-checks'
import { LOG, trainingRuns } from './begin-run'
import { notifyInstructors } from '../notify'
import type { Seating } from '../participants/seating'
import * as seats from '../seats/store'
import * as store from '../store'

const HOUR_MS = 60 * 60_000
const LIMIT_MS = 3 * HOUR_MS
const GRACE_MS = 60_000
const POLL_MS = 2000
/** Low, because accounts on clusters are created by commands over the network. */
const ACCOUNTS_AT_ONCE = 4

type Options = {
  db: Database
  users: Users
  clusters: Pick<ClustersApi, 'access' | 'copies'>
  seating: Seating
  endPrograms(userIds: string[]): Promise<number>
  costOf(training: store.FoundTraining): Promise<TrainingCost>
  system: AuditSource
  now: () => number
}
/** The receipt of a teardown; null for a preparation. */
type Result = Receipt | null

/** Creates what the seats need before a workshop, and removes it afterward. Every step may run twice. */
export function makePreparation(options: Options) {
  const { db, users, clusters, seating, endPrograms, costOf, system, now } = options
  const { copies, access } = clusters

  /**
   * Locks the workshop against ending until this transaction has committed. Fails if it has ended already, so that
   * nothing more is created.
   */
  const holdRunning = async (tx: Transaction, { id }: store.FoundTraining) => {
    const held = (await store.hold(tx, id)) ?? fail('not_found')
    requireNotEnded(held)
    return held
  }

  const makeAccounts = async (
    training: store.FoundTraining,
    { logNow, check }: RunContext,
  ): Promise<void> => {
    const missing = (await seats.seats(db.kysely, training.id)).filter(({ user_id }) => user_id === null)
    for (const { number } of missing) {
      check()
      await db.transaction(async (tx) => {
        const held = await holdRunning(tx, training)
        const seat = await seats.lockSeat(tx, training.id, number)
        if (seat) await seating.ensureAccount(tx, held, seat)
      })
    }
    await logNow(`${countText(training.seats, 'account')} ready`)
  }

  const makeClusters = async (training: store.FoundTraining, context: RunContext): Promise<void> => {
    const template = training.cluster_id
    if (template === null) throw new Error('No cluster is chosen as the template')
    const { id, username, role } = await users.get(training.owner_id)
    const owner: Caller = { id, username, role }
    for (const { number, cluster_id, own_cluster } of await seats.seats(db.kysely, training.id)) {
      if (own_cluster && cluster_id !== null) continue
      context.check()
      const name = `${
        training.name
          .replace(/[^\p{L}\p{N} ._-]/gu, '')
          .trim()
          .slice(0, 50) || 'Workshop'
      } seat ${number}`
      await copies.create(owner, template, name, async (tx, clusterId) => {
        await holdRunning(tx, training)
        const seat = { training_id: training.id, number }
        await seats.updateSeat(tx, seat, { cluster_id: clusterId, own_cluster: true })
      })
      context.log(`Seat ${number}: cluster ${name} created`)
    }
    const own = await seats.ownClusters(db.kysely, training.id)
    for (const { id: clusterId, state } of own) {
      context.check()
      if (state === 'saved' || state === 'failed') await copies.deploy(clusterId)
    }
    await context.logNow(`Deploying ${countText(own.length, 'cluster')}`)
    await waitUntilDeployed(training, context)
  }

  /** Waits until every seat's cluster is available or failed. Failed clusters fail the run. */
  const waitUntilDeployed = async (
    training: store.FoundTraining,
    { log, pause }: RunContext,
  ): Promise<void> => {
    const finished = new Set<number>()
    for (;;) {
      const own = await seats.ownClusters(db.kysely, training.id)
      for (const { number, state, cause } of own) {
        if (finished.has(number) || (state !== 'available' && state !== 'failed')) continue
        finished.add(number)
        const failed = state === 'failed'
        log(
          `Seat ${number}: cluster ${state}${failed ? `: ${cause ?? 'unknown cause'}` : ''}`,
          failed ? 'error' : 'info',
        )
      }
      const failed = own.filter(({ state }) => state === 'failed')
      if (finished.size >= own.length) {
        if (failed.length > 0) throw new Error(`${countText(failed.length, 'cluster')} could not be deployed`)
        return
      }
      await pause(POLL_MS)
    }
  }

  /** Creates the accounts of the seats on their clusters, so that no participant waits for one at the start. */
  const openAccounts = async (
    training: store.FoundTraining,
    { log, cancel, check, tolerate }: RunContext,
  ): Promise<void> => {
    let problems = 0
    const accounts = await seats.accounts(db.kysely, training.id)
    // After a database outage the run is retried, so this attempt must not create more accounts next to it.
    await eachOf(
      accounts,
      ACCOUNTS_AT_ONCE,
      async ({ id, username, role, number, cluster_id }) => {
        if (cluster_id === null) return
        await tolerate(
          () => access.forPerson({ id, username, role }, cluster_id),
          (error) => {
            problems++
            log(`Seat ${number}: could not create an account on its cluster: ${explain(error)}`, 'warning')
          },
        )
      },
      cancel,
    )
    check()
    if (problems > 0) {
      const missing = problems === 1 ? 'An account' : 'Accounts'
      throw new Error(`${missing} could not be created for ${countText(problems, 'seat')}`)
    }
  }

  const prepare = async (training: store.FoundTraining, context: RunContext): Promise<Result> => {
    await makeAccounts(training, context)
    if (training.seat_mode === 'own') await makeClusters(training, context)
    await openAccounts(training, context)
    await context.logNow('All seats are ready')
    return null
  }

  /**
   * A cluster that is being deployed is destroyed as soon as its deployment ends. The list is read again in each round,
   * because the preparation may have been creating a cluster when the workshop ended.
   */
  const destroyClusters = async (
    training: store.FoundTraining,
    { log, pause, tolerate }: RunContext,
    onDestroyed: (one: Receipt['clusters'][number]) => Promise<void>,
  ): Promise<Receipt['clusters']> => {
    const began = new Set<string>()
    const outcomes = new Map<string, Receipt['clusters'][number]>()
    for (;;) {
      const own = await seats.ownClusters(db.kysely, training.id)
      const left = own.filter(({ id }) => !outcomes.has(id))
      if (left.length === 0) return [...outcomes.values()]
      for (const { id, name, number, state, cause } of left) {
        const failed = (detail: string) => outcomes.set(id, { id, name, outcome: 'failed', detail })
        const destroy = async () => {
          if (isClusterActionAllowed('remove', state)) {
            const destroyed = { id, name, outcome: 'destroyed' as const, detail: '' }
            await onDestroyed(destroyed)
            await copies.remove(id)
            outcomes.set(id, destroyed)
          } else if (began.has(id)) {
            if (state === 'failed') failed(cause ?? 'It could not be destroyed')
          } else if (isClusterActionAllowed('destroy', state)) {
            await copies.destroy(id)
            began.add(id)
          }
        }
        await tolerate(destroy, async (error) => {
          log(`Seat ${number}: ${explain(error)}`, 'error')
          // If the state has changed in the meantime, the next round tries again.
          if ((await copies.stateOf(id))?.state === state) failed(explain(error))
        })
      }
      await pause(POLL_MS)
    }
  }

  const tearDown = async (training: store.FoundTraining, context: RunContext): Promise<Result> => {
    const accounts = await seats.accounts(db.kysely, training.id)
    // The receipt of this teardown before a restart, or of an earlier one that left clusters behind.
    const earlier = training.receipt
    let receipt: Receipt = {
      endedAt: (training.ended_at ?? training.end_time).getTime(),
      tornDownAt: now(),
      participants: training.seats_taken,
      accountsRemoved: earlier?.accountsRemoved ?? 0,
      desktopsEnded: earlier?.desktopsEnded ?? 0,
      clusters: earlier?.clusters.filter(({ outcome }) => outcome === 'destroyed') ?? [],
      // The cost of removed clusters can no longer be calculated.
      cost: earlier?.cost ?? (await costOf(training)),
      problems: [],
    }
    /** Saves the receipt with each step, because what was removed cannot be counted after a restart. */
    const note = async (change: Partial<Receipt>, tx: Queryable = db.kysely): Promise<void> => {
      receipt = { ...receipt, ...change }
      await store.update(tx, training.id, { receipt: JSON.stringify(receipt) })
    }
    const clustersWith = (one: Receipt['clusters'][number]) => [
      ...receipt.clusters.filter(({ id }) => id !== one.id),
      one,
    ]
    const ended = await endPrograms(accounts.map(({ id }) => id))
    await note({ desktopsEnded: receipt.desktopsEnded + ended })
    const outcomes =
      training.seat_mode === 'own'
        ? await destroyClusters(training, context, (one) => note({ clusters: clustersWith(one) }))
        : []
    for (const person of accounts)
      await db.transaction(async (tx) => {
        await lockPerson(tx, person.id)
        await users.removeWithin(tx, null, system, person, training.owner_id)
        await note({ accountsRemoved: receipt.accountsRemoved + 1 }, tx)
      })
    await context.logNow(`${countText(accounts.length, 'account')} removed`)
    const failed = outcomes.filter(({ outcome }) => outcome === 'failed')
    for (const one of failed) receipt.clusters = clustersWith(one)
    return {
      ...receipt,
      tornDownAt: now(),
      problems: failed.map(
        ({ name, detail }) => `Cluster ${name} still exists and may cost money: ${detail}`,
      ),
    }
  }

  return makeRuns(trainingRuns, {
    db,
    now,
    overdueMs: LIMIT_MS + HOUR_MS,
    find: (id) => store.findAny(db.kysely, id),
    work: (training, run) => ({
      limitMs: LIMIT_MS,
      graceMs: GRACE_MS,
      step: (context): Promise<Result> =>
        run.action === 'prepare' ? prepare(training, context) : tearDown(training, context),
    }),
    async write(tx, training, _run, lines) {
      await store.addLines(tx, training.id, LOG, new Date(now()), lines)
      await notifyInstructors(tx, training)
    },
    async finish(tx, training, { run, cause, result, actor }) {
      const done = run.action === 'prepare' ? 'ready' : 'torn-down'
      // A teardown that left clusters behind can be retried.
      const problem = cause ?? (result?.problems.join('\n') || null)
      await store.update(tx, training.id, {
        preparation: problem === null ? done : 'failed',
        preparation_cause: problem,
        ...(result && { receipt: JSON.stringify(result) }),
      })
      await record(tx, actor, system, {
        action: `${run.action} ${problem === null ? 'done' : 'failed'}`,
        subject: subjectOf('workshop', training),
        detail: problem ?? '',
      })
      await notifyInstructors(tx, training)
    },
    afterEnd: async () => {},
  })
}
