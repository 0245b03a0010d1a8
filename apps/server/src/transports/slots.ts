import { TransportError } from './error'

const recentMs = 50

/** `files` is the SFTP session, which stays open like a lasting channel but is shared by all callers. */
export type SlotKind = 'short' | 'lasting' | 'files'

interface Slot {
  /** Slots in use besides this one. */
  others(): number
  /** Releases the slot. */
  closed(): void
  /** Releases the slot and records that the remote host accepts no more than the current number of channels. */
  refused(again: boolean): void
}

/**
 * Limits the channels that are open on a connection at once. sshd refuses more than its MaxSessions, so further callers
 * wait here in order. Lasting channels (terminals, streams) leave two slots for short commands.
 */
export class Slots {
  private used = 0
  private lasting = 0
  private files = 0
  private limit: number
  private closedAt = 0
  private readonly queue: (() => void)[] = []

  constructor(private readonly most: number) {
    this.limit = most
  }

  async take(kind: SlotKind, signal?: AbortSignal): Promise<Slot> {
    signal?.throwIfAborted()
    const lasting = kind === 'lasting'
    if (lasting && this.lasting >= this.mostLasting())
      throw new TransportError(
        'open channel',
        'busy',
        `All ${this.mostLasting()} channels for terminals and streams are in use. Close a terminal or a stream first.`,
      )
    if (lasting) this.lasting++
    try {
      if (this.used < this.limit) this.used++
      else await this.wait(signal)
    } catch (error) {
      if (lasting) this.lasting--
      throw error
    }
    if (kind === 'files') this.files++
    let released = false
    const release = () => {
      if (released) return
      released = true
      this.used--
      if (lasting) this.lasting--
      if (kind === 'files') this.files--
      this.next()
    }
    return {
      others: () => this.used - 1,
      closed: () => {
        this.closedAt = Date.now()
        release()
      },
      refused: (again) => {
        // Right after a channel was closed, sshd may still count it; otherwise, or on a second refusal, it is a limit.
        // One slot for commands always remains, since a busy sshd may refuse so often that none would be left.
        if (again || Date.now() - this.closedAt > recentMs)
          this.limit = Math.max(this.lasting + this.files + 1, Math.min(this.limit, this.used - 1))
        release()
      },
    }
  }

  /** Resets the limit for a new connection, since the machine may have been reinstalled. */
  forget(): void {
    this.limit = this.most
    this.next()
  }

  private mostLasting(): number {
    return Math.max(1, this.limit - 2)
  }

  private wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.queue.splice(this.queue.indexOf(grant), 1)
        reject(signal?.reason)
      }
      const grant = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      this.queue.push(grant)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  private next(): void {
    while (this.used < this.limit) {
      const grant = this.queue.shift()
      if (!grant) return
      this.used++
      grant()
    }
  }
}
