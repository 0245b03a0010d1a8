import { TransportError } from './error'

const recentMs = 50

/** `files` is the SFTP session, which stays open as lasting ones do but is there for everyone. */
export type SlotKind = 'short' | 'lasting' | 'files'

interface Slot {
  /** Slots in use besides this one. */
  others(): number
  /** Gives it back. */
  closed(): void
  /** Returns it, and records that the remote host accepts no more than the current number. */
  refused(again: boolean): void
}

/**
 * How many channels may be open on a connection at once. sshd refuses more than its MaxSessions, so the rest waits
 * here, first come first served. What stays open for long (terminals, streams) leaves two for short commands.
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
    let given = false
    const giveBack = () => {
      if (given) return
      given = true
      this.used--
      if (lasting) this.lasting--
      if (kind === 'files') this.files--
      this.next()
    }
    return {
      others: () => this.used - 1,
      closed: () => {
        this.closedAt = Date.now()
        giveBack()
      },
      refused: (again) => {
        // Right after a channel was closed sshd may still count it; without that, or twice, it is a limit.
        // A busy sshd may refuse so often that only what stays open would be left, and no command ever run again.
        if (again || Date.now() - this.closedAt > recentMs)
          this.limit = Math.max(this.lasting + this.files + 1, Math.min(this.limit, this.used - 1))
        giveBack()
      },
    }
  }

  /** A new connection may be to a machine that was reinstalled. */
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
