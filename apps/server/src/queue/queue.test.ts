import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { databaseOfTest } from '../../test/support/database/database'
import { testLog } from '../../test/support/log'
import { startPostgres } from '../../test/support/database/postgres'
import { runScript } from '../../test/support/console/script'
import { until } from '../../test/support/until'
import { soakIt } from '../../test/support/soak'
import { openDatabase, type Database } from '../db/database'
import { openQueue, type Queue } from './queue'
import { defineTask, handle, type Run } from './task'

const count = defineTask('count', z.object({ n: z.number(), note: z._default(z.string(), 'none') }))

async function queueOn(db: Database, { alone = false, log = testLog().log } = {}): Promise<Queue> {
  const queue = await openQueue({ url: db.url, alone, log })
  onTestFinished(() => queue.stop())
  return queue
}

/** A database that the test can stop. */
async function stoppableDatabase() {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.remove())
  const { log, lines } = testLog()
  const db = await openDatabase({ dataDir: '/nonexistent', databaseUrl: postgres.url, log })
  onTestFinished(() => db.close())
  return { postgres, db, log, lines }
}

const add = (db: Database, queue: Queue, n: number) => db.transaction((tx) => queue.add(tx, count, { n }))
const waiting = async (db: Database) =>
  (await db.pool.query('select * from graphile_worker.jobs')).rows.length

test('a task runs if and only if the transaction that added it commits', async () => {
  const db = await databaseOfTest()
  const queue = await queueOn(db)
  const done: unknown[] = []
  queue.start([handle(count, async (payload) => void done.push(payload))])
  const refused = db.transaction(async (tx) => {
    await queue.add(tx, count, { n: 1 })
    throw new Error('changed my mind')
  })
  await expect(refused).rejects.toThrow('changed my mind')
  await add(db, queue, 2)
  await until(() => done.length > 0)
  await until(async () => (await waiting(db)) === 0)
  expect(done).toEqual([{ n: 2, note: 'none' }])
})

test('an invalid payload is rejected when the task is added', async () => {
  const db = await databaseOfTest()
  const queue = await queueOn(db)
  const wrong: unknown = { n: 'two' }
  // A caller without types could pass this.
  await expect(db.transaction((tx) => queue.add(tx, count, wrong as { n: number }))).rejects.toThrow(
    'invalid_type',
  )
  expect(await waiting(db)).toBe(0)
})

test('servers that start at the same time on a new database share one queue', async () => {
  const db = await databaseOfTest({ bare: true })
  const queues = await Promise.all(Array.from({ length: 4 }, () => queueOn(db)))
  const done: number[] = []
  for (const queue of queues) queue.start([handle(count, async ({ n }) => void done.push(n))])
  const numbers = Array.from({ length: 40 }, (_, n) => n)
  await db.transaction(async (tx) => {
    for (const n of numbers) await queues[0]?.add(tx, count, { n })
  })
  await until(() => done.length >= 40)
  expect(done.toSorted((a, b) => a - b)).toEqual(numbers)
})

test('tasks of one queue run one after the other', async () => {
  const db = await databaseOfTest()
  const queue = await queueOn(db)
  const seen: string[] = []
  queue.start([
    handle(count, async ({ n }) => {
      seen.push(`begin ${n}`)
      await new Promise((resolve) => setTimeout(resolve, 30))
      seen.push(`end ${n}`)
    }),
  ])
  await db.transaction(async (tx) => {
    for (const n of [1, 2, 3]) await queue.add(tx, count, { n }, { queue: 'cluster-1' })
  })
  await until(() => seen.length === 6)
  expect(seen).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3'])
})

test('a failing task is retried and finally dropped, and its payload is never logged', async () => {
  const db = await databaseOfTest()
  const { log, lines } = testLog()
  const queue = await queueOn(db, { log })
  const runs: Run[] = []
  queue.start([
    handle(count, async (_payload, run) => {
      runs.push(run)
      throw new Error('the upstream is closed')
    }),
  ])
  await db.transaction((tx) => queue.add(tx, count, { n: 1, note: 'very-secret' }, { maxAttempts: 2 }))
  await until(() => lines().includes('failed its last attempt'))
  expect(runs.map(({ attempt, lastAttempt }) => [attempt, lastAttempt])).toEqual([
    [1, false],
    [2, true],
  ])
  expect(lines()).toContain('the upstream is closed')
  expect(lines()).not.toContain('very-secret')
})

soakIt('a task for later runs on time, and until then the database is rarely queried', async () => {
  const db = await databaseOfTest()
  const queue = await queueOn(db)
  const done: number[] = []
  const slow = defineTask('slow', z.object({}))
  queue.start([
    handle(count, async ({ n }) => void done.push(n)),
    { ...handle(slow, async () => {}), long: true },
  ])
  await add(db, queue, 1)
  await until(() => done.length === 1)
  const transactions = async () => {
    const { rows } = await db.pool.query<{ n: number }>(
      'select xact_commit::int as n from pg_stat_database where datname = current_database()',
    )
    return rows[0]?.n ?? 0
  }
  // PostgreSQL reports the transactions of a connection up to ten seconds after it became idle.
  await sleep(11_000)
  const runAt = new Date(Date.now() + 5000)
  await db.transaction((tx) => queue.add(tx, count, { n: 2 }, { runAt }))
  const [before, began] = [await transactions(), Date.now()]
  await until(() => done.length === 2)
  expect(Date.now()).toBeGreaterThanOrEqual(runAt.getTime())
  // Two a second for the tasks and one for the presence, plus those of this test; 24 idle workers that poll make 12.
  const seconds = (Date.now() - began) / 1000
  expect((await transactions()) - before).toBeLessThan(7 * Math.max(5, seconds))
})

test('stop waits for the task in progress to end', async () => {
  const db = await databaseOfTest()
  const queue = await openQueue({ url: db.url, alone: false, log: testLog().log })
  const seen: string[] = []
  queue.start([
    handle(count, async () => {
      seen.push('begin')
      await new Promise((resolve) => setTimeout(resolve, 500))
      seen.push('end')
    }),
  ])
  await add(db, queue, 1)
  await until(() => seen.length === 1)
  await queue.stop()
  expect(seen).toEqual(['begin', 'end'])
  expect(await waiting(db)).toBe(0)
})

soakIt('another server runs the tasks of a server that was killed', async () => {
  const db = await databaseOfTest()
  const queue = await queueOn(db)
  await add(db, queue, 1)
  const script = await runScript('hang-in-task', { DATABASE_URL: db.url })
  await script.line('took 1')
  await script.kill()
  const done: [number, number][] = []
  queue.start([handle(count, async ({ n }, { attempt }) => void done.push([n, attempt]))])
  await until(() => done.length > 0)
  expect(done).toEqual([[1, 2]])
})

test('a server without peers immediately reruns the tasks that were in progress before', async () => {
  const db = await databaseOfTest()
  const before = await openQueue({ url: db.url, alone: false, log: testLog().log })
  await add(db, before, 1)
  await before.stop()
  const script = await runScript('hang-in-task', { DATABASE_URL: db.url })
  await script.line('took 1')
  await script.kill()
  const queue = await queueOn(db, { alone: true })
  const done: number[] = []
  queue.start([handle(count, async ({ n }) => void done.push(n))])
  await until(() => done.length > 0)
  expect(done).toEqual([1])
})

soakIt('a slow task of a live server is not run by another one', async () => {
  const { db, postgres, log } = await stoppableDatabase()
  const [slow, other] = [await queueOn(db, { log }), await queueOn(db, { log })]
  const begun: string[] = []
  let finish = () => {}
  slow.start([
    handle(count, async () => {
      begun.push('slow')
      await new Promise<void>((resolve) => (finish = resolve))
    }),
  ])
  await add(db, slow, 1)
  await until(() => begun.length > 0)
  other.start([handle(count, async () => void begun.push('other'))])
  // Even a restart of the database, which breaks every connection, does not make it look dead.
  await postgres.kill()
  await postgres.start()
  await new Promise((resolve) => setTimeout(resolve, 13_000))
  expect(begun).toEqual(['slow'])
  finish()
  await until(async () => (await waiting(db)) === 0)
  expect(begun).toEqual(['slow'])
})

soakIt('the queue resumes after a database outage, even if a task ended during it', async () => {
  const { db, postgres, log } = await stoppableDatabase()
  const queue = await queueOn(db, { log })
  const done: number[] = []
  let finish = () => {}
  queue.start([
    handle(count, async ({ n }) => {
      done.push(n)
      if (n === 1 && done.length === 1) await new Promise<void>((resolve) => (finish = resolve))
    }),
  ])
  await add(db, queue, 1)
  await until(() => done.length === 1)
  await postgres.kill()
  finish()
  // Long enough for the attempt to record the end of the task to fail.
  await new Promise((resolve) => setTimeout(resolve, 500))
  await postgres.start()
  await add(db, queue, 2)
  await until(() => done.includes(2))
  // The end of the first task could not be recorded, so it runs again.
  await until(async () => (await waiting(db)) === 0)
  expect(done.toSorted((a, b) => a - b)).toEqual([1, 1, 2])
})

soakIt('a queue started during a database outage runs its tasks once it is over', async () => {
  const { db, postgres, log, lines } = await stoppableDatabase()
  const queue = await queueOn(db, { log })
  await add(db, queue, 1)
  await postgres.stop()
  const done: number[] = []
  queue.start([handle(count, async ({ n }) => void done.push(n))])
  await until(() => lines().includes('the queue cannot start'))
  await postgres.start()
  await until(() => done.length > 0)
  expect(done).toEqual([1])
})

soakIt('the queue stops while the database is down', async () => {
  const { db, postgres, log } = await stoppableDatabase()
  const queue = await openQueue({ url: db.url, alone: false, log })
  queue.start([handle(count, async () => {})])
  await postgres.stop()
  await expect(queue.stop()).resolves.toBeUndefined()
})
