import { sql } from 'kysely'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startPostgres } from '../../../test/support/database/postgres'
import { until } from '../../../test/support/until'
import { isDatabaseDown, isOutcomeUnknown } from './down'
import { openDatabase } from '../database'

test('a query that times out closes its connection, and only committed writes remain', async () => {
  const postgres = await startPostgres()
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-stopped-'))
  const db = await openDatabase({ dataDir, databaseUrl: postgres.url, log: pino({ level: 'silent' }) })
  onTestFinished(async () => {
    await postgres.resume().catch(() => {})
    await db.close()
    await postgres.remove()
    await rm(dataDir, { recursive: true })
  })
  await sql`create table boats (name text)`.execute(db.kysely)
  const boats = async () =>
    (await sql<{ name: string }>`select name from boats order by name`.execute(db.kysely)).rows.map(
      ({ name }) => name,
    )

  let alone: Promise<unknown> = Promise.resolve()
  const inTransaction = db.transaction(async (tx) => {
    await sql`insert into boats values ('Argo')`.execute(tx)
    // This opens a second connection.
    await boats()
    await postgres.pause()
    alone = sql`insert into boats values ('Vega')`.execute(db.kysely).catch((error: unknown) => error)
    await sql`insert into boats values ('Fram')`.execute(tx)
  })
  for (const failed of [await inTransaction.catch((error: unknown) => error), await alone]) {
    expect(isDatabaseDown(failed)).toBe(true)
    expect(isOutcomeUnknown(failed)).toBe(true)
  }
  // Neither connection waits for a reply anymore.
  expect(db.pool.totalCount).toBe(0)

  await postgres.resume()
  // The paused process executes the single statement that it was sent, and rolls back the transaction.
  await until(async () => (await boats().catch((): string[] => [])).includes('Vega'))
  expect(await boats()).toEqual(['Vega'])
  const answers = await Promise.all(
    Array.from(
      { length: 50 },
      async (_, n) => (await sql<{ n: number }>`select ${n}::int as n`.execute(db.kysely)).rows[0]?.n,
    ),
  )
  expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => n))
})
