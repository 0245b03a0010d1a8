import { sql } from 'kysely'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { testApp } from '../../../test/support/app/app'
import { testLog } from '../../../test/support/log'
import { insertCluster } from '../../../test/support/app/rows'
import { until } from '../../../test/support/until'
import { openQueue } from '../../queue/queue'
import { defineRuns, makeRuns, type RunContext } from './runs'

const MINUTE = 60_000
const { log: serverLog } = testLog()
const app = await testApp()
const { db } = app
const owner = await app.person('ada', ['user'])
const queue = await openQueue({ url: db.url, alone: true, log: serverLog })
afterAll(async () => {
  await queue.stop()
  await app.close()
})

const kind = defineRuns('cluster', 'fake-run', 'cluster_runs')
let subjects = 0
const newSubject = () => insertCluster(app, owner, `subject ${subjects++}`)
const begin = (subject: string, at = new Date()) =>
  db.transaction((tx) =>
    kind.begin(tx, queue, subject, { actor: owner, at, action: 'deploy', input: '{}', from_state: 'saved' }),
  )

/** An engine with this step, which collects its log and how its runs ended. The test controls its clock. */
function engine(step: (context: RunContext, runId: string) => Promise<string>, graceMs = 50) {
  let moved = 0
  const lines: string[] = []
  const after: string[] = []
  const endings: { run: string; cause: string | null; result: string | null; actor?: string }[] = []
  const { handler, sweep } = makeRuns(kind, {
    db,
    now: () => Date.now() + moved,
    overdueMs: 180 * MINUTE,
    find: async (subject) => subject,
    work: (_subject, { id }) => ({ limitMs: 90 * MINUTE, graceMs, step: (context) => step(context, id) }),
    write: async (_tx, _subject, _run, added) =>
      void lines.push(...added.map(({ text, level }) => `${level}: ${text}`)),
    cleanUp: async (_subject, { log }) => log('Cleaned up'),
    async finish(tx, subject, { run, cause, result, actor }) {
      await tx.updateTable('clusters').set({ cause }).where('id', '=', subject).execute()
      endings.push({ run: run.id, cause, result, ...(actor && { actor: actor.username }) })
    },
    afterEnd: async ({ id }) => void after.push(id),
  })
  return {
    handler,
    sweep,
    lines,
    endings,
    after,
    advance: (ms: number) => void (moved += ms),
    carryOut: (run: string, { attempt = 1, signal = new AbortController().signal } = {}) =>
      handler.run({ run }, { id: '1', attempt, lastAttempt: false, signal, log: serverLog }),
  }
}
const never = () => new Promise<never>(() => {})

test('a run ends successfully once, on behalf of the user who started it', async () => {
  const { carryOut, lines, endings } = engine(async ({ log, logNow }) => {
    log('Later')
    await logNow('Careful', 'warning')
    return 'made'
  })
  const at = new Date(1_700_000_000_000)
  const run = await begin(await newSubject(), at)
  expect(await kind.find(db.kysely, run)).toMatchObject({ actor_id: owner.id, actor: 'ada', began_at: at })
  await carryOut(run)
  await carryOut(run)
  expect(lines).toEqual(['info: Later', 'warning: Careful'])
  expect(endings).toEqual([{ run, cause: null, result: 'made', actor: 'ada' }])
})

test('a run that ends while it is being aborted waits for the abort', async () => {
  const { carryOut, endings } = engine(async () => 'made')
  const subject = await newSubject()
  const run = await begin(subject)
  let ended: unknown
  await db.transaction(async (tx) => {
    await sql`select 1 from clusters where id = ${subject} for update`.execute(tx)
    ended = carryOut(run)
    const isWaiting = sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until(async () => (await isWaiting.execute(db.kysely)).rows.length > 0)
    expect(await kind.abort(tx, subject, new Date(), 'aborted')).toBe(true)
  })
  await ended
  expect(endings).toEqual([])
  expect(await kind.find(db.kysely, run)).toMatchObject({ cause: 'aborted' })
})

test('a run that times out fails with that cause, even if its step does not stop', async () => {
  let started = false
  const { carryOut, advance, lines, endings } = engine(() => {
    started = true
    return never()
  })
  const run = await begin(await newSubject())
  const working = carryOut(run)
  await until(() => started)
  advance(90 * MINUTE + 1)
  await working
  const cause = 'Timed out after 90 minutes'
  expect(endings).toMatchObject([{ run, cause, result: null }])
  expect(lines).toEqual([`error: Failed: ${cause}`, 'info: Cleaned up'])
  expect(await kind.find(db.kysely, run)).toMatchObject({ cause, ended_at: expect.any(Date) })
})

test('a canceled run ends as canceled, and its step is notified', async () => {
  let notified = false
  const { carryOut, lines, endings } = engine(async ({ cancel, check }) => {
    await new Promise((resolve) => cancel.addEventListener('abort', resolve))
    notified = true
    check()
    return never()
  })
  const subject = await newSubject()
  const run = await begin(subject)
  const working = carryOut(run)
  expect(await kind.requestCancel(db.kysely, subject)).toBe(true)
  await working
  expect(notified).toBe(true)
  expect(endings).toMatchObject([{ cause: 'Canceled' }])
  expect(lines).toEqual(['warning: Canceled', 'info: Cleaned up'])
  expect(await kind.requestCancel(db.kysely, subject)).toBe(false)
})

test('a run that no server carries out anymore is ended and not carried out later', async () => {
  const { carryOut, sweep, advance, lines, endings, after } = engine(async () => 'late')
  const run = await begin(await newSubject())
  advance(179 * MINUTE)
  await sweep()
  expect(endings).toEqual([])
  advance(2 * MINUTE)
  await sweep()
  await sweep()
  const cause = 'Not finished within 3 hours. Try again.'
  expect(endings).toMatchObject([{ run, cause, result: null }])
  expect(lines).toEqual([`error: Failed: ${cause}`, 'info: Cleaned up'])
  expect(after).toEqual([run])
  await carryOut(run)
  expect(endings).toHaveLength(1)
})

test('a run that is interrupted by a stop of the server is resumed and logs it', async () => {
  const stop = new AbortController()
  const { carryOut, lines, endings } = engine(async ({ detach, check }) => {
    if (!stop.signal.aborted) {
      setTimeout(() => stop.abort(), 50)
      await new Promise((resolve) => detach.addEventListener('abort', resolve))
    }
    check()
    return 'made'
  })
  const run = await begin(await newSubject())
  await expect(carryOut(run, { signal: stop.signal })).rejects.toThrow('abort')
  expect(await kind.inProgress(db.kysely, run)).toBeDefined()
  expect(lines).toEqual([])
  await carryOut(run, { attempt: 2 })
  expect(lines).toEqual(['warning: Resumed after an interruption'])
  expect(endings).toMatchObject([{ cause: null, result: 'made' }])
})

test('a pause ends after its time', async () => {
  const { carryOut, endings } = engine(async ({ pause }) => {
    const began = performance.now()
    await pause(100)
    return performance.now() - began > 90 ? 'waited' : 'did not wait'
  })
  await carryOut(await begin(await newSubject()))
  expect(endings).toMatchObject([{ cause: null, result: 'waited' }])
})

test('a pause ends when the run is canceled', async () => {
  // The engine itself would wait an hour for the step.
  const { carryOut, endings } = engine(({ pause }) => pause(60 * MINUTE).then(never), 60 * MINUTE)
  const subject = await newSubject()
  const working = carryOut(await begin(subject))
  await kind.requestCancel(db.kysely, subject)
  await working
  expect(endings).toMatchObject([{ cause: 'Canceled' }])
})

test('a pause ends when the server stops, and the run is resumed', async () => {
  const stop = new AbortController()
  const leaving = new Error('The server stops')
  const ended: unknown[] = []
  const { carryOut, endings } = engine(async ({ pause }) => {
    if (stop.signal.aborted) return 'made'
    setTimeout(() => stop.abort(leaving), 50)
    return pause(60 * MINUTE).then(never, (reason: unknown) => {
      ended.push(reason)
      throw reason
    })
  })
  const run = await begin(await newSubject())
  await expect(carryOut(run, { signal: stop.signal })).rejects.toBe(leaving)
  expect(ended).toEqual([leaving])
  await carryOut(run, { attempt: 2 })
  expect(endings).toMatchObject([{ cause: null, result: 'made' }])
})

test('a failure of a tolerated part does not fail the run, but an outage of the database repeats it', async () => {
  let attempts = 0
  const failures: unknown[] = []
  const { handler, endings } = engine(async ({ tolerate }) => {
    await tolerate(
      async () => {
        attempts++
        if (attempts > 1) throw new Error('no account')
        await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db.kysely)
      },
      (error) => failures.push(error),
    )
    return 'made'
  })
  const own = await openQueue({ url: db.url, alone: true, log: serverLog })
  onTestFinished(() => own.stop())
  own.start([handler])
  const run = await begin(await newSubject())
  await until(() => endings.length > 0)
  expect(endings).toMatchObject([{ run, cause: null, result: 'made' }])
  expect(failures).toMatchObject([{ message: 'no account' }])
})

test('an outage of the database does not fail a run: the queue retries it', async () => {
  let attempts = 0
  const { handler, lines, endings } = engine(async () => {
    attempts++
    if (attempts === 1) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db.kysely)
    return 'made'
  })
  const own = await openQueue({ url: db.url, alone: true, log: serverLog })
  onTestFinished(() => own.stop())
  own.start([handler])
  const run = await begin(await newSubject())
  await until(() => endings.length > 0)
  expect(attempts).toBe(2)
  expect(lines).toEqual(['warning: Resumed after an interruption'])
  expect(endings).toMatchObject([{ run, cause: null, result: 'made' }])
})

test('runs of a subject are carried out one at a time, and runs of other subjects do not wait for them', async () => {
  const started: string[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const { handler, endings } = engine(async (_context, run) => {
    started.push(run)
    if (started.length === 1) await held
    return 'made'
  }, 60 * MINUTE)
  const own = await openQueue({ url: db.url, alone: true, log: serverLog })
  onTestFinished(() => own.stop())
  own.start([handler])
  const subject = await newSubject()
  const first = await begin(subject)
  await until(() => started.length === 1)
  await expect(begin(subject)).rejects.toThrow('duplicate key')
  // Aborts the run while its step has not stopped yet.
  await db.transaction((tx) => kind.abort(tx, subject, new Date(), 'Replaced'))
  const second = await begin(subject)
  const other = await begin(await newSubject())
  await until(() => endings.length === 1)
  expect(started).toEqual([first, other])
  release()
  await until(() => endings.length === 2)
  expect(started).toEqual([first, other, second])
  expect(endings.map(({ run }) => run)).toEqual([other, second])
  expect(await kind.find(db.kysely, first)).toMatchObject({ cause: 'Replaced' })
})
