import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'

/** An arbitrary number that no other advisory lock in the database uses. */
const LOCK = 7_305_804_403
/** Messages from the other servers to the leader. */
export const LEADER_CHANNEL = 'flotilla_leader'
const TRY_MS = 2000
const CONNECT_MS = 3000
const KEEPALIVE_MS = 5000
const DISCONNECT_MS = 1000

type Options = {
  url: string
  /** No other server can be using this database. */
  alone: boolean
  /** This server now leads: it does what only one server may do. */
  onGain(): void
  /** Another server may lead from now on. */
  onLose(): void
  /** Another server notified the leader. */
  onMessage(payload: string): void
  log: Logger
}

/** Exactly one of the servers on a database leads; when it dies, another takes over within seconds. */
export function seekLeadership({ url, alone, onGain, onLose, onMessage, log }: Options): {
  close(): Promise<void>
} {
  if (alone) {
    onGain()
    return { close: async () => onLose() }
  }
  const closing = new AbortController()
  let link: pg.Client | undefined

  /** Holds the lock for as long as the connection lives. */
  const lead = async (): Promise<void> => {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'flotilla leader',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_MS,
    })
    const lost = new Promise<void>((resolve) => {
      client.once('end', resolve)
      client.on('error', () => resolve())
    })
    client.on('notification', ({ payload }) => onMessage(payload ?? ''))
    try {
      await client.connect()
      link = client
      // One connection keeps trying to take the lock until the previous leader is gone.
      while (!closing.signal.aborted) {
        const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [
          LOCK,
        ])
        if (rows[0]?.got) break
        await sleep(TRY_MS, undefined, { signal: closing.signal }).catch(() => {})
      }
      if (closing.signal.aborted) return
      await client.query(`listen ${LEADER_CHANNEL}`)
      log.info('this server is now the leader')
      onGain()
      await lost
      onLose()
    } finally {
      link = undefined
      await disconnect(client)
    }
  }

  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await lead().catch((error: unknown) =>
        log.debug({ reason: String(error) }, 'could not try to become the leader'),
      )
      await sleep(TRY_MS, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    async close() {
      closing.abort()
      if (link) await disconnect(link)
      await running
    },
  }
}

/** Waits only briefly, because the other side may have died without closing the connection. */
const disconnect = (client: pg.Client): Promise<void> =>
  Promise.race([client.end().catch(() => {}), sleep(DISCONNECT_MS, undefined, { ref: false })])
