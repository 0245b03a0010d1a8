import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'

const SWEEP_MS = 2000
const RECONNECT_MS = 500
const DISCONNECT_MS = 1000
/** Longer than a live server needs to reconnect after the database was restarted. */
const ABSENT_MS = 10_000

/** Workers that hold tasks but whose server is not connected: a live server holds an advisory lock for each worker. */
const ABSENT = `
  select distinct jobs.locked_by as worker from graphile_worker.jobs as jobs
  where jobs.locked_by is not null and not exists (
    select from pg_locks
    where locktype = 'advisory' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and ((classid::bigint << 32) | objid::bigint) = hashtextextended(jobs.locked_by, 0)
  )`

export interface Presence {
  arrive(worker: string): void
  leave(worker: string): void
  close(): Promise<void>
}

export interface PresenceOptions {
  url: string
  /** No other server can be using this database, so tasks that were in progress at the start are freed at once. */
  alone: boolean
  log: Logger
}

/**
 * Frees the tasks of servers that died. By itself the queue would wait four hours, as it cannot tell a dead worker
 * from a slow one. Instead, each server holds advisory locks for its workers, which end with its connection.
 */
export function keepPresence({ url, alone, log }: PresenceOptions): Presence {
  const present = new Set<string>()
  const closing = new AbortController()
  let wake = new AbortController()

  const watch = async (client: pg.Client, first: boolean): Promise<void> => {
    const locked = new Set<string>()
    const absentSince = new Map<string, number>()
    let allowedAbsence = first && alone ? 0 : ABSENT_MS
    while (!closing.signal.aborted) {
      const pause = (wake = new AbortController())
      for (const worker of [...present].filter((each) => !locked.has(each))) {
        const { rows } = await client.query<{ taken: boolean }>(
          'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
          [worker],
        )
        // Otherwise a broken connection of this server still holds it, which does as well until that connection ends.
        if (rows[0]?.taken) locked.add(worker)
      }
      for (const worker of [...locked].filter((each) => !present.has(each))) {
        await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [worker])
        locked.delete(worker)
      }
      const { rows } = await client.query<{ worker: string }>(ABSENT)
      const absent = new Set(rows.map(({ worker }) => worker).filter((worker) => !present.has(worker)))
      for (const worker of absentSince.keys()) if (!absent.has(worker)) absentSince.delete(worker)
      for (const worker of absent) if (!absentSince.has(worker)) absentSince.set(worker, performance.now())
      const dead = [...absent].filter(
        (each) => performance.now() - (absentSince.get(each) ?? Infinity) >= allowedAbsence,
      )
      if (dead.length > 0) {
        await client.query('select graphile_worker.force_unlock_workers($1)', [dead])
        log.warn({ workers: dead }, 'a server died while running tasks, running them again')
      }
      allowedAbsence = ABSENT_MS
      await sleep(SWEEP_MS, undefined, { signal: AbortSignal.any([pause.signal, closing.signal]) }).catch(
        () => {},
      )
    }
  }

  const running = (async () => {
    for (let first = true; !closing.signal.aborted; first = false) {
      const client = new pg.Client({
        connectionString: url,
        application_name: 'flotilla presence',
        connectionTimeoutMillis: 3000,
        keepAlive: true,
        keepAliveInitialDelayMillis: 5000,
      })
      client.on('error', () => {})
      try {
        await client.connect()
        await watch(client, first)
      } catch (error) {
        log.debug({ reason: String(error) }, 'the queue lost its database lock, retrying')
        await sleep(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => {})
      }
      await Promise.race([client.end().catch(() => {}), sleep(DISCONNECT_MS, undefined, { ref: false })])
    }
  })()

  return {
    arrive(worker) {
      present.add(worker)
      wake.abort()
    },
    leave(worker) {
      present.delete(worker)
      wake.abort()
    },
    async close() {
      closing.abort()
      await running
    },
  }
}
