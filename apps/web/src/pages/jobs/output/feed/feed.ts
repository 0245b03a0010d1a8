import { toApiError } from '@flotilla/client/api-error'
import { NO_RESPONSE } from '../../../../ui/feedback/no-response'
import { initial, shownState } from './feed-state'
import type { FeedSource, FeedState, FilePiece } from './feed-state'
import { feedParts, PIECE_BYTES } from './feed-parts'
import type { RowPlace } from './feed-parts'
import { byteLength, fit, wholeCharacters } from './piece'
import type { Piece } from './piece'
import { createRows } from './rows'

/** What is kept: enough to scroll through, little enough for any machine. */
const ROWS_MAX = 60_000
const CHARACTERS_MAX = 6_000_000
/** A user at the end of the output does not wait for more than this: the page jumps to the end of the file. */
const LAG_BYTES = 4_000_000
/** Doubled after each failed attempt, so that a server that comes back is not flooded with requests. */
const RETRY_MS = 1000
const RETRY_MOST_MS = 15_000
/** A file on a shared disk may still grow shortly after its job has ended. */
const LAST_READ_MS = 2000

export type Feed = ReturnType<typeof openFeed>

/** One output file: its end first, earlier parts on request, and live output while the job runs. */
export function openFeed(source: FeedSource, running: boolean) {
  const rows = createRows()
  const shown = shownState()
  let state = initial
  let alive = running
  let closed = true
  /** Whether the user is at the end: then old rows may be dropped; otherwise, nothing on screen may move. */
  let atEnd = true
  let stopFollowing: (() => void) | null = null
  let retrying: ReturnType<typeof setTimeout> | undefined
  let reading: Promise<boolean> | null = null
  /** Show binary content as text. */
  let asText = false
  /** Consecutive failed attempts. */
  let failedAttempts = 0
  /** Bytes received since the file's size was last checked. */
  let received = 0

  const set = (changes: Partial<FeedState>, throttled = false) => {
    state = { ...state, ...changes }
    if (closed) return
    if (throttled) shown.setThrottled(() => state)
    else shown.set(state)
  }

  const append = (piece: Piece, size: number) => {
    rows.append(piece.text, piece.from)
    const over = overweight()
    const from = over > 0 && atEnd ? rows.dropFirst(over) : null
    set(
      {
        next: piece.next,
        size: Math.max(size, piece.next),
        version: state.version + 1,
        ...(from !== null && { from }),
      },
      true,
    )
    // Binary content has no reliable line starts, so nothing could be dropped.
    if (atEnd && rows.characters() > 2 * CHARACTERS_MAX) {
      unfollow()
      void start()
      return
    }
    // Full, and the user is reading further up: the rest is read when they return to the end.
    if (overweight() > 0 && !atEnd) {
      unfollow()
      set({ behind: true })
    }
  }
  const overweight = () =>
    rows.count() > ROWS_MAX || rows.characters() > CHARACTERS_MAX ? Math.ceil(rows.characters() / 4) : 0

  const unfollow = () => {
    stopFollowing?.()
    stopFollowing = null
    clearTimeout(retrying)
    set({ live: false })
  }
  const retry = () => {
    clearTimeout(retrying)
    retrying = setTimeout(() => void goOn(), Math.min(RETRY_MS * 2 ** failedAttempts, RETRY_MOST_MS))
  }
  const goOn = async () => {
    const answered = await catchUp()
    failedAttempts = answered ? 0 : failedAttempts + 1
    if (answered) follow()
    else if (!closed && alive && !stopFollowing) retry()
  }

  const follow = () => {
    if (closed || !alive || state.binary || state.behind || state.status !== 'ready' || stopFollowing) return
    /** Bytes of an incomplete character: included in `next`, but not in the text yet. */
    let held = 0
    const end = source.follow(state.next, {
      piece: (piece) => {
        if (stopFollowing !== stop) return
        const fitting = fit(state.next, piece)
        if (fitting.how === 'known') return
        if (fitting.how === 'gap') {
          stop()
          stopFollowing = null
          void goOn()
          return
        }
        if (fitting.how === 'restart') {
          rows.clear()
          set({ from: 0, next: 0, size: 0 })
        }
        const text = fitting.how === 'append' ? fitting.text : piece.text
        if (text.includes('\0') && !asText) {
          set({ binary: true, size: piece.next })
          unfollow()
          return
        }
        const missing = piece.next - state.next + held - byteLength(text)
        held = !text.includes('\ufffd') && missing > 0 && missing <= 3 ? missing : 0
        received += piece.next - state.next
        append({ text, from: state.next, next: piece.next }, piece.next)
        if (received > LAG_BYTES) void skipAhead()
      },
      lost: () => {
        if (stopFollowing !== stop) return
        stop()
        stopFollowing = null
        set({ live: false })
        retry()
      },
    })
    const stop = () => {
      end()
      if (held > 0) set({ next: state.next - held })
      held = 0
    }
    stopFollowing = stop
    set({ live: true })
  }

  /** Reads the missing part up to the end of the file; false if there was no response. */
  const catchUp = (): Promise<boolean> => {
    reading ??= readOn().finally(() => (reading = null))
    return reading
  }
  const readOn = async (): Promise<boolean> => {
    const readable = () => !closed && state.status === 'ready' && !state.binary && !state.behind
    while (readable()) {
      const from = state.next
      let found: FilePiece
      try {
        found = await source.piece({ from, limit: PIECE_BYTES })
      } catch (thrown) {
        // A missing file is a response; after anything else, the caller retries.
        return toApiError(thrown).status === 404
      }
      // The stream was faster: what was read may already be shown.
      if (state.next !== from) continue
      if (found.size < from) {
        rows.clear()
        set({ from: 0, next: 0, size: 0, version: state.version + 1 })
        continue
      }
      if (found.binary && !asText) {
        set({ binary: true, size: found.size })
        return true
      }
      if (found.size - found.next > LAG_BYTES) {
        if (atEnd) await skipAhead()
        else set({ behind: true, size: found.size })
        return true
      }
      const whole = wholeCharacters(found, { before: false, after: found.next < found.size || alive })
      if (whole.text !== '') append(whole, found.size)
      if (found.next >= found.size || whole.next === whole.from) return true
    }
    return true
  }

  const show = (end: FilePiece) => {
    const whole = wholeCharacters(end, { before: end.from > 0, after: alive })
    rows.clear()
    const binary = end.binary && !asText
    if (!binary) rows.append(whole.text, whole.from)
    set({
      status: 'ready',
      binary,
      from: whole.from,
      next: whole.next,
      size: end.size,
      version: state.version + 1,
    })
  }
  /** For a job that writes faster than the page reads: the skipped part can be loaded on request. */
  const skipAhead = async () => {
    received = 0
    const end = await source.piece({ limit: PIECE_BYTES }).catch(() => null)
    if (!end || closed || !atEnd || end.from - state.next < LAG_BYTES) return
    unfollow()
    show(end)
    follow()
  }

  const start = async () => {
    set({ ...initial, version: state.version })
    rows.clear()
    try {
      const found = await source.piece({ limit: PIECE_BYTES })
      if (closed) return
      show(found)
    } catch (thrown) {
      const error = toApiError(thrown)
      // A running job may not have written its first byte yet: wait for the file.
      if (error.status === 404 && alive) set({ status: 'ready' })
      else return set({ status: 'failed', problem: error.network ? NO_RESPONSE : error.message })
    }
    follow()
  }
  const parts = feedParts({
    source,
    rows,
    state: () => state,
    set,
    overweight,
    isGrowing: () => alive,
    isClosed: () => closed,
    follow,
    unfollow,
  })
  return {
    rows,
    state: shown.store,
    retry: () => void start(),
    showAsText: () => {
      asText = true
      void start()
    },

    loadEarlier: parts.loadEarlier,
    loadLater: parts.loadLater,
    /** Where a match is: shown as text, whatever is around it. */
    showAt: (offset: number): Promise<RowPlace | null> => {
      asText = true
      atEnd = false
      return parts.showAt(offset)
    },

    /** Whether the end is visible. */
    setAtEnd: (is: boolean) => {
      atEnd = is
    },
    toNewest: () => {
      atEnd = true
      if (state.behind) void start()
    },

    /** The connection was restored or lost. */
    setConnected: (connected: boolean) => {
      if (!connected) {
        unfollow()
        if (alive) retry()
        return
      }
      // Immediately, however far away the next attempt was.
      failedAttempts = 0
      clearTimeout(retrying)
      if (state.status === 'failed') void start()
      else if (!stopFollowing) void goOn()
    },

    /** The job ended: read the rest, then check once more. */
    setRunning: (is: boolean) => {
      if (alive === is) return
      alive = is
      if (is) return follow()
      unfollow()
      void catchUp().then(() => {
        retrying = setTimeout(() => void catchUp(), LAST_READ_MS)
      })
    },

    open: () => {
      closed = false
      void start()
    },
    close: () => {
      unfollow()
      closed = true
      shown.stop()
      clearTimeout(retrying)
    },
  }
}
