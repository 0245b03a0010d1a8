import { setTimeout as sleep } from 'node:timers/promises'
import type { Disk, OpenFile } from './disk'
import { TransportError } from './error'

export interface TailOptions {
  /** The byte to begin with; below zero counts from the end. */
  from: number
  /** Ends the tail; it has no other end. */
  signal: AbortSignal
}

export interface TailPiece {
  /** Of the first byte in `data`. To resume later, begin at offset + data.length. */
  offset: number
  data: Buffer
  /** The file was emptied or replaced; this piece begins a new one. */
  restarted: boolean
}

const pieceBytes = 256 * 1024
/** Polling slows down while the file does not grow; a new line still appears within half a second. */
const restMs = { least: 100, most: 400 }
/** How often the name is looked up again, to notice that another file has taken it. */
const renewMs = 2_000

type Attempt = <T>(action: (disk: Disk, parts: string[]) => Promise<T>) => Promise<T>

/**
 * Follows a file as it grows. A file that does not exist yet is waited for, a lost connection is waited out, and in
 * both cases it continues at the byte where it was. Without a change this costs one small request per look.
 */
export async function* tail(
  attempt: Attempt,
  { from, signal }: TailOptions,
): AsyncGenerator<TailPiece, void> {
  let offset: number | undefined = from < 0 ? undefined : from
  let file: OpenFile | undefined
  let fileId: string | undefined
  let gone = false
  let restarted = false
  let openedAt = 0
  let rest = restMs.least

  const renew = async () => {
    const before = file
    file = undefined
    await before?.close().catch(() => undefined)
    const opened = await attempt((disk, parts) => disk.open(parts, { for: 'read' }))
    file = opened
    openedAt = Date.now()
    const { size, id } = await attempt(() => opened.look())
    offset ??= Math.max(0, size + from)
    // At the first look too: less than the reader has seen means that its offset is of another file.
    if (gone || size < offset || (fileId !== undefined && id !== fileId)) {
      restarted = true
      offset = 0
    }
    gone = false
    fileId = id
  }

  const step = async (): Promise<TailPiece | undefined> => {
    if (!file || Date.now() - openedAt > renewMs) await renew()
    if (!file || offset === undefined) return undefined
    const open = file
    const at = offset
    const data = await attempt(() => open.read(at, pieceBytes))
    if (data.length === 0) return undefined
    offset = at + data.length
    const piece = { offset: at, data, restarted }
    restarted = false
    return piece
  }

  try {
    while (!signal.aborted) {
      const piece = await step().catch((error: unknown) => {
        if (!(error instanceof TransportError) || !waitable.has(error.reason)) throw error
        gone ||= error.reason === 'not found' && openedAt > 0
        file = undefined
        return undefined
      })
      if (piece) {
        rest = restMs.least
        yield piece
      } else {
        await sleep(rest, undefined, { signal }).catch(() => undefined)
        rest = Math.min(restMs.most, rest * 2)
      }
    }
  } finally {
    await file?.close().catch(() => undefined)
  }
}

const waitable = new Set(['not found', 'lost', 'unreachable', 'timed out', 'busy'])
