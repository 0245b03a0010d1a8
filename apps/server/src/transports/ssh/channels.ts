import { setTimeout as sleep } from 'node:timers/promises'
import type ssh2 from 'ssh2'
import { messageOf } from '../../explain'
import { unlessAborted } from '../abort'
import { TransportError } from '../error'
import type { SlotKind, Slots } from '../slots'
import type { Exit } from '../running'
import { lostError, type SshLink } from './link'

type Opener = (
  client: ssh2.Client,
  done: (error: Error | undefined, channel: ssh2.ClientChannel) => void,
) => void

/** A channel with its exit and close recorded from the start, because a short command may end as soon as it starts. */
export interface OpenChannel {
  channel: ssh2.ClientChannel
  /** How the command on it ended, once the remote host has reported it. */
  exit(): Exit | undefined
  closed: Promise<void>
}

/** Opens channels on the link, as many at once as the remote host allows. */
export class Channels {
  constructor(
    private readonly link: SshLink,
    private readonly host: string,
    private readonly slots: Slots,
  ) {}

  async open(kind: SlotKind, opener: Opener, signal?: AbortSignal): Promise<OpenChannel> {
    for (let refusals = 0; ;) {
      // Without a connection, callers should fail immediately instead of waiting for a slot.
      await this.link.connection(signal)
      const slot = await this.slots.take(kind, signal)
      const opening = this.link.connection(signal).then((client) => openOn(client, opener))
      try {
        const opened = await unlessAborted(opening, signal)
        void opened.closed.then(slot.closed)
        return opened
      } catch (error) {
        if (signal?.aborted) {
          opening.then(abandon).then(slot.closed, slot.closed)
          throw error
        }
        if (!isRefusal(error) || slot.others() === 0) {
          slot.closed()
          throw this.explained(error)
        }
        slot.refused(refusals++ > 0)
        await sleep(10 * refusals, undefined, { signal })
      }
    }
  }

  private explained(error: unknown): unknown {
    if (error instanceof TransportError) return error
    if (!this.link.connected) return lostError(this.host)
    const detail = messageOf(error)
    return new TransportError(
      'open channel',
      'refused',
      `${this.host} would not open a channel: ${detail}.`,
      {
        cause: error,
      },
    )
  }
}

/** When the remote host refuses a channel, ssh2 sets `reason` to the protocol's reason code. */
const isRefusal = (error: unknown) =>
  error instanceof Error && 'reason' in error && typeof error.reason === 'number'

export function openOn(client: ssh2.Client, opener: Opener): Promise<OpenChannel> {
  return new Promise((resolve, reject) => {
    opener(client, (error, channel) => {
      if (error) return reject(error)
      let exit: Exit | undefined
      channel.once(
        'exit',
        (code: number | null, signal?: string) => (exit = { code, signal: signal ?? null }),
      )
      const closed = new Promise<void>((done) => void channel.once('close', () => done()))
      channel.on('error', () => undefined)
      resolve({ channel, exit: () => exit, closed })
    })
  })
}

/** Closes a channel that no caller waits for anymore. */
function abandon({ channel, closed }: OpenChannel): Promise<void> {
  channel.resume()
  channel.stderr.resume()
  channel.signal('KILL')
  channel.close()
  return closed
}
