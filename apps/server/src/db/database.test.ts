import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { databaseOfTest } from '../../test/support/database/database'
import { testLog } from '../../test/support/log'
import { startPostgres } from '../../test/support/database/postgres'
import { until } from '../../test/support/until'
import { soakIt } from '../../test/support/soak'
import { isDatabaseBusy, isDatabaseDown } from './connection/down'
import { openDatabase, redacted } from './database'

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

test('big integers are read as numbers and timestamps as dates', async () => {
  const db = await databaseOfTest()
  const { rows } = await sql<{
    n: number
    at: Date
  }>`select count(*) as n, to_timestamp(1) as at from generate_series(1, 3)`.execute(db.kysely)
  expect(rows).toEqual([{ n: 3, at: new Date(1000) }])
})

test('a transaction that throws leaves nothing', async () => {
  const db = await databaseOfTest()
  await sql`create table things (n int)`.execute(db.kysely)
  const failed = await failureOf(
    db.transaction(async (tx) => {
      await sql`insert into things values (1)`.execute(tx)
      throw new Error('no')
    }),
  )
  expect(failed).toEqual(new Error('no'))
  expect((await sql`select * from things`.execute(db.kysely)).rows).toEqual([])
})

test('every failure during a database outage is recognized as one, and queries work again after it', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.remove())
  const { log } = testLog()
  const db = await openDatabase({ dataDir: '/nonexistent', databaseUrl: postgres.url, log })
  onTestFinished(() => db.close())
  await sql`create table things (n int)`.execute(db.kysely)

  for (const stopDatabase of [postgres.kill, postgres.stop]) {
    // A connection that is busy, idle in a transaction or idle in the pool breaks in its own way.
    const busy = failureOf(sql`select pg_sleep(20)`.execute(db.kysely))
    let proceed = () => {}
    let inside = () => {}
    const entered = new Promise<void>((resolve) => (inside = resolve))
    const transaction = failureOf(
      db.transaction(async (tx) => {
        await sql`insert into things values (1)`.execute(tx)
        inside()
        await new Promise<void>((resolve) => (proceed = resolve))
        await sql`insert into things values (2)`.execute(tx)
      }),
    )
    await entered
    await db.ping()
    await stopDatabase()
    proceed()
    for (const failure of [
      await busy,
      await transaction,
      await failureOf(db.ping()),
      await failureOf(db.ping()),
    ]) {
      expect(failure).toBeInstanceOf(Error)
      expect(isDatabaseDown(failure), String(failure)).toBe(true)
    }
    await postgres.start()
    await db.ping()
    expect((await sql`select * from things`.execute(db.kysely)).rows).toEqual([])
  }
})

test('a rejected query does not count as an outage', async () => {
  const db = await databaseOfTest()
  expect(isDatabaseDown(await failureOf(sql`select 1 / 0`.execute(db.kysely)))).toBe(false)
  expect(isDatabaseDown(await failureOf(sql`select * from nothing_here`.execute(db.kysely)))).toBe(false)
  expect(isDatabaseDown(new Error('something else'))).toBe(false)
  expect(isDatabaseDown('down')).toBe(false)
})

test('a statement that takes too long or ends in a deadlock counts as a busy database', async () => {
  const db = await databaseOfTest()
  await sql`create table things (id int primary key, seen int)`.execute(db.kysely)
  await sql`insert into things values (1, 0), (2, 0)`.execute(db.kysely)
  const slow = db.transaction(async (tx) => {
    await sql`set local statement_timeout = 20`.execute(tx)
    await sql`select pg_sleep(60)`.execute(tx)
  })
  expect(isDatabaseBusy(await failureOf(slow))).toBe(true)

  let locked = 0
  const lock = (first: number, second: number) =>
    db.transaction(async (tx) => {
      await sql`update things set seen = seen + 1 where id = ${first}`.execute(tx)
      locked++
      await until(() => locked === 2)
      await sql`update things set seen = seen + 1 where id = ${second}`.execute(tx)
    })
  const results = await Promise.allSettled([lock(1, 2), lock(2, 1)])
  const [deadlock, ...others] = results.filter((one) => one.status === 'rejected')
  expect(others).toEqual([])
  expect(isDatabaseBusy(deadlock?.reason)).toBe(true)
  expect(isDatabaseDown(deadlock?.reason)).toBe(true)
})

test('opening waits for a database that starts later', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.remove())
  await postgres.stop()
  const { log, lines } = testLog()
  const opening = openDatabase({ dataDir: '/nonexistent', databaseUrl: postgres.url, log })
  await until(() => lines().includes('cannot be reached yet'))
  await postgres.start()
  const db = await opening
  onTestFinished(() => db.close())
  await expect(db.ping()).resolves.toBeUndefined()
})

soakIt('opening fails with the reason, but without the password', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.remove())
  const secret = new URL(postgres.url)
  secret.password = 'very-secret'
  secret.pathname = '/no-such-database'
  const { log, lines } = testLog()
  const open = (timeoutMs: number) =>
    failureOf(openDatabase({ dataDir: '/', databaseUrl: secret.href, log, timeoutMs }))
  expect(String(await open(60_000))).toContain('database "no-such-database" does not exist')
  await postgres.stop()
  expect(String(await open(400))).toMatch(/cannot be used: .*ECONNREFUSED/)
  expect(lines()).toContain('cannot be reached yet')
  expect(lines()).not.toContain('very-secret')
  expect(redacted(secret.href)).not.toContain('very-secret')
})

test('the log names settings with which acknowledged writes could be lost', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.remove())
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query('alter role tester set synchronous_commit = off')
  await client.end()
  const { log, lines } = testLog()
  const db = await openDatabase({ dataDir: '/nonexistent', databaseUrl: postgres.url, log })
  await db.close()
  expect(lines()).toContain('synchronous_commit = off')
})
