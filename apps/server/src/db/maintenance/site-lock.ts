import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { dedicatedClient } from './dump'

/** An arbitrary number that no other advisory lock in the database uses. */
const LOCK = 7_305_804_404
/** The database takes a moment to notice that a server has closed its connections. */
const ENDING_MS = 2000
const POLL_MS = 100

export interface SiteLock {
  client: pg.Client
  release(): Promise<void>
}

/**
 * Every server of a shared database holds this lock in shared mode for as long as it runs; a restore and a rotation of
 * the master key hold it exclusively. The embedded database needs none, because its folder has a lock.
 */
export async function shareSite(url: string): Promise<SiteLock> {
  const lock = await acquire(url, 'select pg_try_advisory_lock_shared($1) as got')
  if (!lock)
    throw new Error(
      'A restore or a rotation of the master key is in progress on this database. Start Flotilla when it is done.',
    )
  return lock
}

/** Takes the lock exclusively. Undefined if a server runs on the database. */
export async function lockSite(url: string): Promise<SiteLock | undefined> {
  for (const deadline = Date.now() + ENDING_MS; ; await pause(POLL_MS)) {
    const lock = await takeUnused(url)
    if (lock || Date.now() > deadline) return lock
  }
}

async function takeUnused(url: string): Promise<SiteLock | undefined> {
  const lock = await acquire(url, 'select pg_try_advisory_lock($1) as got')
  if (!lock) return undefined
  // A server that lost the lock with its connection reconnects in a moment, so its other connections count too.
  const { rowCount } = await lock.client.query(
    `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and application_name in ('flotilla', 'flotilla queue', 'flotilla presence', 'flotilla leader')`,
  )
  if (rowCount === 0) return lock
  await lock.release()
  return undefined
}

async function acquire(url: string, query: string): Promise<SiteLock | undefined> {
  const client = await dedicatedClient(url, 'flotilla site lock')
  const { rows } = await client.query<{ got: boolean }>(query, [LOCK])
  const release = () => client.end()
  if (rows[0]?.got) return { client, release }
  await release()
  return undefined
}
