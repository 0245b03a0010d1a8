import { UPLOAD_PIECE_BYTES } from '@flotilla/contract/jobs/files'
import { ApiError } from '@flotilla/client/api-error'

/** The server side of an upload. */
export type UploadTarget = {
  /** The number of bytes that the server has of an unfinished upload. */
  received: () => Promise<number>
  /** Sends a chunk. The final chunk makes the server create the file. */
  send: (bytes: Blob, at: { offset: number; final: boolean }) => Promise<void>
  /** Whether the server has just created this file. */
  isThere: () => Promise<boolean>
}

type Options = {
  /** Whether to continue an earlier, interrupted upload of the same file. */
  resume: boolean
  signal: AbortSignal
  onSent: (bytes: number) => void
  /** Called with true while the server is unreachable and the upload is retried. */
  onWaiting: (waiting: boolean) => void
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  now?: () => number
}

/** The first chunk is small, so that a slow connection shows progress and pauses quickly. */
const FIRST_PIECE = 256 * 1024
const GOOD_MS = 800
const SLOW_MS = 3000
const LONGEST_WAIT_MS = 15_000

/** Sends a file in chunks. Throws only errors that retrying does not fix. */
export async function sendFile(file: Blob, target: UploadTarget, options: Options): Promise<void> {
  const { signal, onSent, onWaiting, sleep = pause, now = Date.now } = options
  let offset = 0
  let piece = FIRST_PIECE
  let failures = 0
  /** Whether the partial file on the server is the start of this file, not of another. */
  let isOurPart = options.resume
  let checkReceived = options.resume
  let finalSent = false

  for (;;) {
    signal.throwIfAborted()
    try {
      if (checkReceived) {
        // The response to the final chunk may have been lost. The server then has the file and no partial upload.
        if (finalSent && (await target.isThere())) return onSent(file.size)
        const received = isOurPart ? await target.received() : 0
        offset = received > file.size ? 0 : received
        onSent(offset)
        checkReceived = false
        finalSent = false
      }
      const end = Math.min(file.size, offset + piece)
      const final = end === file.size
      const startedAt = now()
      finalSent = final
      await target.send(file.slice(offset, end), { offset, final })
      onWaiting(false)
      failures = 0
      isOurPart = true
      offset = end
      onSent(offset)
      if (final) return
      piece = nextPiece(piece, now() - startedAt)
    } catch (error) {
      signal.throwIfAborted()
      checkReceived = true
      if (isWrongOffset(error) && failures === 0) {
        failures += 1
        continue
      }
      if (!isTransient(error)) throw error
      onWaiting(true)
      await sleep(Math.min(LONGEST_WAIT_MS, 1000 * 2 ** failures), signal)
      failures += 1
    }
  }
}

/** The next chunk size: larger on a fast connection, smaller on a slow one. */
export const nextPiece = (piece: number, tookMs: number): number => {
  if (tookMs < GOOD_MS) return Math.min(UPLOAD_PIECE_BYTES, piece * 2)
  return tookMs > SLOW_MS ? Math.max(FIRST_PIECE / 4, Math.floor(piece / 2)) : piece
}

const isTransient = (error: unknown): boolean =>
  error instanceof ApiError &&
  // A full disk stays full until someone frees space.
  error.code !== 'disk_full' &&
  (error.status === 0 || error.status === 429 || error.status === 503)
const isWrongOffset = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'wrong offset'

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
