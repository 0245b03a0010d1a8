import { expect, onTestFinished, test } from 'vitest'
import { databaseOfTest } from '../../../test/support/database/database'
import { testLog } from '../../../test/support/log'
import { startPostgres } from '../../../test/support/database/postgres'
import { until } from '../../../test/support/until'
import { openDatabase } from '../database'
import { listen } from './listen'

test('hears what is committed, and nothing of what is not', async () => {
  const db = await databaseOfTest()
  const heard: string[] = []
  const listener = await listen({
    url: db.url,
    channel: 'Odd "channel"',
    log: testLog().log,
  })
  listener.receive({
    onMessage: (payload) => {
      heard.push(payload)
      if (payload === 'bad') throw new Error('cannot handle this')
    },
    onReconnect: () => heard.push('(again)'),
  })
  const notify = (text: string) => db.pool.query('select pg_notify($1, $2)', ['Odd "channel"', text])
  const client = await db.pool.connect()
  await client.query('begin')
  await client.query('select pg_notify($1, $2)', ['Odd "channel"', 'taken back'])
  await client.query('rollback')
  client.release()
  await notify('bad')
  await notify('good')
  await until(() => heard.includes('good'))
  expect(heard).toEqual(['bad', 'good'])
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
  const heard: string[] = []
  const listener = await listen({
    url: postgres.url,
    channel: 'flotilla',
    log,
  })
  listener.receive({ onMessage: (payload) => heard.push(payload), onReconnect: () => heard.push('(again)') })
  onTestFinished(() => listener.close())
  for (const away of [postgres.kill, postgres.stop]) {
    heard.length = 0
    await away()
    await until(() => !listener.healthy())
    await postgres.start()
    await until(() => listener.healthy())
    await db.pool.query("select pg_notify('flotilla', 'hello')")
    await until(() => heard.length === 2)
    expect(heard).toEqual(['(again)', 'hello'])
  }
})

test('closes while the database is away', async () => {
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
