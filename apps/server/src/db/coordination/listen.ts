import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'

const BACKOFF_MS = { first: 100, most: 5000 }
const CONNECT_MS = 3000
const KEEPALIVE_MS = 5000
const DISCONNECT_MS = 1000

export interface ListenOptions {
  url: string
  channel: string
  log: Logger
}

interface Receiver {
  onMessage(payload: string): void
  /** The connection was lost and is back: messages may have been missed. */
  onReconnect(): void
}

export interface Listener {
  /** False while messages are not arriving. */
  healthy(): boolean
  /** Messages before this call are dropped: nothing has been read yet that they could have changed. */
  receive(receiver: Receiver): void
  close(): Promise<void>
}

/** Listens to one channel on its own connection, and reconnects whenever that breaks. */
export async function listen({ url, channel, log }: ListenOptions): Promise<Listener> {
  let receiver: Receiver | undefined
  const closing = new AbortController()
  let up = false

  /** Runs a callback safely: an error in it must not break the connection. */
  const notify = (what: () => void) => {
    try {
      what()
    } catch (error) {
      log.error({ err: error, channel }, 'a database message could not be handled')
    }
  }

  const connect = async (): Promise<{ client: pg.Client; lost: Promise<unknown> }> => {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'flotilla listen',
      connectionTimeoutMillis: CONNECT_MS,
      // Keepalive: detects a dead connection although nothing is ever sent on it.
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_MS,
    })
    const lost = new Promise<void>((resolve) => {
      // Each attempt removes its own listener.
      const over = () => {
        closing.signal.removeEventListener('abort', over)
        resolve()
      }
      client.once('end', over)
      client.on('error', over)
      closing.signal.addEventListener('abort', over, { once: true })
    })
    client.on('notification', ({ payload }) => notify(() => receiver?.onMessage(payload ?? '')))
    try {
      await client.connect()
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      void client.end().catch(() => {})
      throw error
    }
    return { client, lost }
  }

  /** Keeps a connection open until it is closed. Calls `tried` when the first attempt has succeeded or failed. */
  const run = async (tried: () => void): Promise<void> => {
    let wait = BACKOFF_MS.first
    let missed = false
    while (!closing.signal.aborted) {
      try {
        const { client, lost } = await connect()
        up = true
        wait = BACKOFF_MS.first
        if (missed) notify(() => receiver?.onReconnect())
        tried()
        if (!closing.signal.aborted) await lost
        up = false
        // Waits only briefly, because the other side may be gone without having closed the connection.
        await Promise.race([client.end().catch(() => {}), sleep(DISCONNECT_MS, undefined, { ref: false })])
        if (!closing.signal.aborted) log.warn({ channel }, 'the connection for live messages was lost')
      } catch (error) {
        log.warn({ channel, reason: String(error), wait }, 'no connection for live messages, retrying')
        tried()
        await sleep(wait, undefined, { signal: closing.signal }).catch(() => {})
        wait = Math.min(wait * 2, BACKOFF_MS.most)
      }
      missed = true
    }
  }

  let running = Promise.resolve()
  await new Promise<void>((tried) => {
    running = run(tried)
  })

  return {
    healthy: () => up,
    receive: (given) => void (receiver = given),
    close: async () => {
      closing.abort()
      await running
    },
  }
}
