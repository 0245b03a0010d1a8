import { setTimeout as sleep } from 'node:timers/promises'
import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type Transaction as KyselyTransaction,
} from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { messageOf } from '../explain'
import { isDatabaseDown, isOutcomeUnknown } from './connection/down'
import { unsafeSettings } from './connection/durability'
import { connectOrStartEmbedded, startEmbedded, type EmbeddedDatabase } from './embedded/embedded'
import { isOutdated } from './connection/rejected'
import { makeStatementNames } from './connection/statements'
import type { Tables } from './tables'

const POOL_SIZE = 20
/** Longer than the interval of periodic queries: opening a connection costs both sides more than most queries. */
export const IDLE_CONNECTION_MS = 60_000
const CONNECT_MS = 3000
/** The server cancels a slow statement itself, and the connection stays in use. */
const STATEMENT_MS = 8000
/** A server that hangs cannot do that, so the client waits no longer than this. */
const QUERY_MS = 10_000
const IDLE_TRANSACTION_MS = 60_000
const START_TIMEOUT_MS = 60_000
const CLOSE_MS = 5000
/** Has its own timeout, so that a connection that does not respond is not kept for the next query. */
const PING = { text: 'select 1', query_timeout: CONNECT_MS }

export type Transaction = KyselyTransaction<Tables>
/** A transaction or the pool, for reads that work in either. */
export type Queryable = Kysely<Tables>

export interface Database {
  kysely: Queryable
  pool: pg.Pool
  url: string
  embedded: boolean
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Rejects if the database does not respond. */
  ping(): Promise<void>
  /** The version of PostgreSQL. */
  version(): Promise<string>
  close(): Promise<void>
}

export interface DatabaseOptions {
  dataDir: string
  databaseUrl: string | undefined
  log: Logger
  /** How long a server named in DATABASE_URL may take to become available, in milliseconds. */
  timeoutMs?: number
}

export async function openDatabase({
  dataDir,
  databaseUrl,
  log,
  timeoutMs = START_TIMEOUT_MS,
}: DatabaseOptions): Promise<Database> {
  if (databaseUrl === undefined) {
    const embedded = await startEmbedded(dataDir, log)
    return makeDatabase(embedded.url, true, log, embedded.stop)
  }
  await waitUntilReachable(databaseUrl, timeoutMs, log)
  return makeDatabase(databaseUrl, false, log, async () => {})
}

/** The database of a server that may or may not be running, for a command that does not serve. */
export async function connectOrStartDatabase({
  dataDir,
  databaseUrl,
  log,
}: DatabaseOptions): Promise<EmbeddedDatabase> {
  if (databaseUrl === undefined) return connectOrStartEmbedded(dataDir, log)
  await waitUntilReachable(databaseUrl, 0, log)
  return { url: databaseUrl, stop: async () => {} }
}

function makeDatabase(url: string, embedded: boolean, log: Logger, stop: () => Promise<void>): Database {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'flotilla',
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    keepAlive: true,
    statement_timeout: STATEMENT_MS,
    query_timeout: QUERY_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    types,
  })
  survive(pool, log)
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: endingTimedOut(pool) }) })
  return {
    kysely,
    pool,
    url,
    embedded,
    transaction: (work) => kysely.transaction().execute(work),
    ping: () => within(CONNECT_MS, pool.query(PING), 'timeout expired: the database does not respond'),
    version: async () =>
      (await pool.query<{ server_version: string }>('show server_version')).rows[0]?.server_version ?? '',
    close: async () => {
      // A connection that hangs must not prevent the process from ending.
      await within(CLOSE_MS, pool.end(), 'connections are still in use').catch((error: unknown) =>
        log.warn({ err: error }, 'the database connections did not close'),
      )
      await stop()
    },
  }
}

/** Without a listener, a connection that breaks would end the process; the next query opens a new one. */
export function survive(pool: pg.Pool, log: Logger): void {
  const lost = (error: Error) => log.warn({ reason: error.message }, 'a database connection was lost')
  pool.on('error', lost)
  // The pool itself listens only to idle connections.
  pool.on('connect', (client) => client.on('error', lost))
}

/**
 * Kysely returns a connection to the pool after every error. One whose query timed out still waits for that reply and
 * would give it to the next query, so it is closed at once. This also makes the rollback of its transaction fail
 * without waiting.
 */
function endingTimedOut(pool: pg.Pool): PostgresPool {
  const names = makeStatementNames()
  const guarded = (client: pg.PoolClient) => ({
    async query(text: string, parameters: readonly unknown[]) {
      const values = [...parameters]
      try {
        // A statement without parameters is sent in a single message, which is even cheaper.
        return await client.query({ name: values.length > 0 ? names.of(text) : undefined, text, values })
      } catch (error) {
        if (isOutdated(error)) {
          names.forget()
          return client.query({ text, values })
        }
        if (isOutcomeUnknown(error)) void (client as unknown as pg.Client).end().catch(() => {})
        throw error
      }
    },
    release: () => client.release(),
  })
  return {
    // This is the whole interface except for cursors, which nothing here uses.
    connect: async () => guarded(await pool.connect()) as unknown as PostgresPoolClient,
    end: () => pool.end(),
  }
}

/** 64-bit integers are counts and identities here and stay far below 2^53; the driver would return them as text. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

async function within(ms: number, work: Promise<unknown>, message: string): Promise<void> {
  const timer = new AbortController()
  try {
    await Promise.race([
      work,
      sleep(ms, undefined, { signal: timer.signal }).then(() => {
        throw new Error(message)
      }),
    ])
  } finally {
    timer.abort()
  }
}

/** Waits for the database, which may take longer to start than this server when an operator starts both at once. */
async function waitUntilReachable(url: string, timeoutMs: number, log: Logger): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (let wait = 250; ; wait = Math.min(wait * 2, 5000)) {
    try {
      const unsafe = await unsafeSettings(url)
      if (unsafe.length > 0) log.warn({ unsafe }, 'this database can lose acknowledged writes in a crash')
      return
    } catch (error) {
      const reason = reasonOf(error)
      if (!isDatabaseDown(error) || Date.now() + wait > deadline)
        throw new Error(`The database at ${redacted(url)} cannot be used: ${reason}`, { cause: error })
      log.warn({ database: redacted(url), reason, wait }, 'the database cannot be reached yet, retrying')
      await sleep(wait)
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return messageOf(error)
}

/** A database URL without its password, for logs. */
export function redacted(url: string): string {
  const { protocol, username, host, pathname } = new URL(url)
  return `${protocol}//${username ? `${username}@` : ''}${host}${pathname}`
}
