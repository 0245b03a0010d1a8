import type { Logger } from 'pino'
import type ssh2 from 'ssh2'
import { unlessAborted } from '../abort'
import { TransportError, type Step } from '../error'
import { login, type SshTarget } from './login'
import type { TransportState } from '../transport'

const backoffMs = { first: 500, most: 30_000 }
/** Calls within this time after a failed attempt get its error instead of causing another attempt. */
const sameErrorMs = 1_000
/** The delay after a rejected login: many hosts lock out clients that retry immediately. */
const refusedMs = 30_000

const isRefusal = (error: TransportError) =>
  error.reason === 'refused' || error.reason === 'host key changed' || error.reason === 'unusable'

/** A persistent connection: opened on first use and reopened automatically when it is lost. */
export class SshLink {
  private client: ssh2.Client | undefined
  private attempt: Promise<ssh2.Client> | undefined
  private current: TransportState = { healthy: false, since: Date.now() }
  private readonly listeners = new Set<(state: TransportState) => void>()
  private readonly closing = new AbortController()
  private failures = 0
  private failedAt = 0
  private connectedAt = 0
  private timer: NodeJS.Timeout | undefined
  /** The step that an attempt has reached. */
  step: Step = 'connect'

  constructor(
    private readonly target: SshTarget,
    private readonly log: Logger,
    private readonly onConnected: () => void,
  ) {}

  state = (): TransportState => this.current

  onStateChange = (listener: (state: TransportState) => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** The connection, if there is one. */
  get connected(): ssh2.Client | undefined {
    return this.client
  }

  async connection(signal?: AbortSignal): Promise<ssh2.Client> {
    signal?.throwIfAborted()
    if (this.closing.signal.aborted) throw closed()
    if (this.client) return this.client
    const { error } = this.current
    if (!this.attempt && error && Date.now() - this.failedAt < (isRefusal(error) ? refusedMs : sameErrorMs))
      throw error
    return unlessAborted(this.try(), signal)
  }

  close(): void {
    this.closing.abort()
    clearTimeout(this.timer)
    this.client?.end()
    this.client?.destroy()
    this.client = undefined
    this.change({ healthy: false })
    this.listeners.clear()
  }

  private try(): Promise<ssh2.Client> {
    clearTimeout(this.timer)
    this.attempt ??= this.connect().finally(() => (this.attempt = undefined))
    return this.attempt
  }

  private async connect(): Promise<ssh2.Client> {
    const about = { host: this.target.host, port: this.target.port, account: this.target.username }
    try {
      const client = await login(this.target, {
        signal: this.closing.signal,
        onStep: (step) => (this.step = step),
      })
      if (this.closing.signal.aborted) {
        client.destroy()
        throw closed()
      }
      client.once('close', () => this.lost(client))
      this.client = client
      this.connectedAt = Date.now()
      this.onConnected()
      this.log.info(about, 'ssh connected')
      this.change({ healthy: true })
      return client
    } catch (error) {
      const why =
        error instanceof TransportError
          ? error
          : new TransportError('connect', 'failed', String(error), { cause: error })
      this.failedAt = Date.now()
      this.failures++
      this.log.warn(
        { ...about, step: why.step, reason: why.reason, failures: this.failures },
        'ssh connection failed',
      )
      this.change({ healthy: false, error: why })
      if (!isRefusal(why)) this.retryLater()
      throw why
    }
  }

  private lost(client: ssh2.Client): void {
    if (this.client !== client) return
    this.client = undefined
    // A connection that is lost soon after it was opened counts as a failure; otherwise it would be retried without
    // backoff.
    this.failures = Date.now() - this.connectedAt > backoffMs.most ? 0 : this.failures + 1
    this.log.warn({ host: this.target.host, account: this.target.username }, 'ssh connection lost')
    this.change({ healthy: false, error: lostError(this.target.host) })
    this.retryLater()
  }

  private retryLater(): void {
    if (this.closing.signal.aborted) return
    const most = Math.min(backoffMs.most, backoffMs.first * 2 ** Math.min(this.failures, 10))
    // Jitter keeps a thousand links to one head node from reconnecting at the same moment.
    this.timer = setTimeout(
      () => void this.try().catch(() => undefined),
      most * (0.5 + Math.random() / 2),
    ).unref()
  }

  private change(to: { healthy: boolean; error?: TransportError }): void {
    const before = this.current
    if (
      before.healthy === to.healthy &&
      before.error?.reason === to.error?.reason &&
      before.error?.step === to.error?.step
    )
      return
    this.current = { ...to, since: before.healthy === to.healthy ? before.since : Date.now() }
    for (const listener of this.listeners) listener(this.current)
  }
}

export const lostError = (host: string): TransportError =>
  new TransportError(
    'connect',
    'lost',
    `The connection to ${host} was lost. What was running there may or may not have finished.`,
  )

const closed = () => new TransportError('connect', 'canceled', 'This connection was closed.')
