import pg from 'pg'
import { redacted } from '../database'
import { installed } from '../embedded/binaries'

const TIMEOUT_MS = 5000

/** Probes the database from outside the console, which may not be running. Nothing is started or changed. */
export async function probeDatabase(databaseUrl: string | undefined) {
  if (databaseUrl === undefined) {
    // The package appends a number of its own to PostgreSQL's.
    const [version = ''] = /^\d+\.\d+/.exec(installed().version) ?? []
    return { version, message: 'The embedded PostgreSQL starts with the console' }
  }
  const where = redacted(databaseUrl)
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: TIMEOUT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return { version: rows[0]?.server_version ?? '', message: `PostgreSQL at ${where} responds` }
  } catch (error) {
    const reason = error instanceof Error && error.message !== '' ? error.message : 'it does not respond'
    throw new Error(`The database at ${where} cannot be used: ${reason}`, { cause: error })
  } finally {
    await client.end().catch(() => {})
  }
}
