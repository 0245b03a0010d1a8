import { expect, onTestFinished, test } from 'vitest'
import { databaseOfTest } from '../../../test/support/database/database'
import { testLog } from '../../../test/support/log'
import { startPostgres } from '../../../test/support/database/postgres'
import { until } from '../../../test/support/until'
import { openDatabase } from '../database'
import { listen } from './listen'

test('receives committed notifications and no others', async () => {
  const db = await databaseOfTest()
  const received: string[] = []
  const listener = await listen({
    url: db.url,
    channel: 'Odd "channel"',
    log: testLog().log,
  })
  listener.receive({
    onMessage: (payload) => {
      received.push(payload)
      if (payload === 'bad') throw new Error('cannot handle this')
    },
    onReconnect: () => received.push('(again)'),
  })
  const notify = (text: string) => db.pool.query('select pg_notify($1, $2)', ['Odd "channel"', text])
  const client = await db.pool.connect()
  await client.query('begin')
  await client.query('select pg_notify($1, $2)', ['Odd "channel"', 'rolled back'])
  await client.query('rollback')
  client.release()
  await notify('bad')
  await notify('good')
  await until(() => received.includes('good'))
  expect(received).toEqual(['bad', 'good'])
  expect(listener.healthy()).toBe(true)
  await listener.close()
  expect(listener.healthy()).toBe(false)
})

test('reconnects after a database outage, and reports that messages may be missing', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.remove())
  const { log } = testLog()
  const db = await openDatabase({ dataDir: '/nonexistent', databaseUrl: postgres.url, log })
  onTestFinished(() => db.close())
  const received: string[] = []
  const listener = await listen({
    url: postgres.url,
    channel: 'flotilla',
    log,
  })
  listener.receive({
    onMessage: (payload) => received.push(payload),
    onReconnect: () => received.push('(again)'),
  })
  onTestFinished(() => listener.close())
  for (const stopDatabase of [postgres.kill, postgres.stop]) {
    received.length = 0
    await stopDatabase()
    await until(() => !listener.healthy())
    await postgres.start()
    await until(() => listener.healthy())
    await db.pool.query("select pg_notify('flotilla', 'hello')")
    await until(() => received.length === 2)
    expect(received).toEqual(['(again)', 'hello'])
  }
})

test('closes while the database is down', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.remove())
  const listener = await listen({
    url: postgres.url,
    channel: 'flotilla',
    log: testLog().log,
  })
  await postgres.stop()
  await until(() => !listener.healthy())
  await expect(listener.close()).resolves.toBeUndefined()
})
