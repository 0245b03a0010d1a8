import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { openDatabase, type Database } from '../../../src/db/database'
import { dropDatabase } from './global-setup'
import { testLog } from '../log'

let pool: pg.Pool | undefined
/** On connections that are kept: each test makes a database and drops it. */
const execute = (sql: string): Promise<unknown> =>
  (pool ??= new pg.Pool({
    connectionString: inject('databaseServer'),
    idleTimeoutMillis: 60_000,
    allowExitOnIdle: true,
  })).query(sql)

/** The URL of a new database on the run's server, migrated and without rows, or `bare` without even tables. */
export async function newDatabase({ bare = false } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `flotilla_test_${randomBytes(6).toString('hex')}`
  await execute(
    `create database ${name}${bare ? '' : ` template ${inject('databaseTemplate')} strategy file_copy`}`,
  )
  const url = new URL(inject('databaseServer'))
  url.pathname = `/${name}`
  return { url: url.href, drop: () => dropDatabase(execute, name) }
}

/**
 * A database of its own for a test file or, called inside a test, for that test. `close` ends the connections and
 * drops it.
 */
export async function testDatabase(options: { bare?: boolean } = {}): Promise<Database> {
  const { url, drop } = await newDatabase(options)
  const db = await openDatabase({ dataDir: '/nonexistent', databaseUrl: url, log: testLog().log })
  return {
    ...db,
    close: async () => {
      await db.close()
      await drop()
    },
  }
}

/** As `testDatabase`, closed on its own when the test is over. */
export async function databaseOfTest(options: { bare?: boolean } = {}): Promise<Database> {
  const db = await testDatabase(options)
  onTestFinished(() => db.close())
  return db
}
