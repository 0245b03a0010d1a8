import { setTimeout as sleep } from 'node:timers/promises'
import type { Disk, OpenFile } from './disk'
import { TransportError } from './error'

export interface TailOptions {
  /** The offset to start at; a negative one is relative to the end. */
  from: number
  /** Ends the tail, which otherwise never ends. */
  signal: AbortSignal
}

export interface TailPiece {
  /** The offset of `data` in the file. To resume later, start at offset + data.length. */
  offset: number
  data: Buffer
  /** The file was truncated or replaced, and this piece starts from its beginning. */
  restarted: boolean
}

const pieceBytes = 256 * 1024
/** Polling slows down while the file does not grow; a new line still appears within half a second. */
const restMs = { least: 100, most: 400 }
/** How often the file is reopened, to detect that another file has taken its name. */
const renewMs = 2_000

type Attempt = <T>(action: (disk: Disk, parts: string[]) => Promise<T>) => Promise<T>

/**
 * Follows a file as it grows. It waits for a file that does not exist yet and for a lost connection, and resumes at the
 * same offset. Without a change, each poll costs one small request.
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
    // Also applies when the file is first opened: a file shorter than the offset is not the one that was read before.
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
