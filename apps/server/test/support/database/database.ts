import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { openDatabase, type Database } from '../../../src/db/database'
import { dropDatabase } from './global-setup'
import { testLog } from '../log'

let pool: pg.Pool | undefined
/** Uses a pool, as every test creates and drops a database. */
const execute = (sql: string): Promise<unknown> =>
  (pool ??= new pg.Pool({
    connectionString: inject('databaseServer'),
    idleTimeoutMillis: 60_000,
    allowExitOnIdle: true,
  })).query(sql)

/** The URL of a new database on the server of the test run: migrated but without rows, or without tables if `bare`. */
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
 * Creates a database for a test file or, when called in a test, for that test. `close` ends the connections and drops
 * it.
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

/** A `testDatabase` that is closed when the test ends. */
export async function databaseOfTest(options: { bare?: boolean } = {}): Promise<Database> {
  const db = await testDatabase(options)
  onTestFinished(() => db.close())
  return db
}
