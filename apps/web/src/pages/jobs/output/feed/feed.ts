import { toApiError } from '@flotilla/client/api-error'
import { NO_RESPONSE } from '../../../../ui/feedback/no-response'
import { initial, shownState } from './feed-state'
import type { FeedSource, FeedState, FilePiece } from './feed-state'
import { feedParts, PIECE_BYTES } from './feed-parts'
import type { RowPlace } from './feed-parts'
import { byteLength, fit, wholeCharacters } from './piece'
import type { Piece } from './piece'
import { createRows } from './rows'

/** Limits of the loaded part: enough to scroll through, and little enough for slow machines. */
const ROWS_MAX = 60_000
const CHARACTERS_MAX = 6_000_000
/** If the page is further behind the end of the file and the user is at the end, the page skips to the end. */
const LAG_BYTES = 4_000_000
/** Doubled after each failed attempt, so that a recovering server is not flooded with requests. */
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
  /** Whether the user is at the end. Only then may old rows be dropped; otherwise, nothing on screen may move. */
  let atEnd = true
  let stopFollowing: (() => void) | null = null
  let retrying: ReturnType<typeof setTimeout> | undefined
  let reading: Promise<boolean> | null = null
  /** Whether binary content is shown as text. */
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
    // Binary content has no reliable line starts at which rows could be dropped, so the feed restarts at the end.
    if (atEnd && rows.characters() > 2 * CHARACTERS_MAX) {
      unfollow()
      void start()
      return
    }
    // The limit is reached while the user is reading further up. The rest is read when they return to the end.
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
    retrying = setTimeout(
      () => void catchUpAndFollow(),
      Math.min(RETRY_MS * 2 ** failedAttempts, RETRY_MOST_MS),
    )
  }
  const catchUpAndFollow = async () => {
    const responded = await catchUp()
    failedAttempts = responded ? 0 : failedAttempts + 1
    if (responded) follow()
    else if (!closed && alive && !stopFollowing) retry()
  }

  const follow = () => {
    if (closed || !alive || state.binary || state.behind || state.status !== 'ready' || stopFollowing) return
    /** The bytes of an incomplete character, which `next` includes but the text does not yet. */
    let held = 0
    const end = source.follow(state.next, {
      piece: (piece) => {
        if (stopFollowing !== stop) return
        const fitting = fit(state.next, piece)
        if (fitting.how === 'known') return
        if (fitting.how === 'gap') {
          stop()
          stopFollowing = null
          void catchUpAndFollow()
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
    reading ??= readRest().finally(() => (reading = null))
    return reading
  }
  const readRest = async (): Promise<boolean> => {
    const readable = () => !closed && state.status === 'ready' && !state.binary && !state.behind
    while (readable()) {
      const from = state.next
      let found: FilePiece
      try {
        found = await source.piece({ from, limit: PIECE_BYTES })
      } catch (thrown) {
        // A missing file counts as a response. After any other error, the caller retries.
        return toApiError(thrown).status === 404
      }
      // The stream was faster, so the chunk may already be shown.
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
  /** Skips to the end if the job writes faster than the page reads. The skipped part can be loaded on request. */
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
      // A running job may not have written its first byte yet, so the feed waits for the file.
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
    /** Loads the part around a match, as text even if the content is binary. */
    showAt: (offset: number): Promise<RowPlace | null> => {
      asText = true
      atEnd = false
      return parts.showAt(offset)
    },

    /** Called when the end becomes visible or hidden. */
    setAtEnd: (is: boolean) => {
      atEnd = is
    },
    toNewest: () => {
      atEnd = true
      if (state.behind) void start()
    },

    /** Called when the connection was restored or lost. */
    setConnected: (connected: boolean) => {
      if (!connected) {
        unfollow()
        if (alive) retry()
        return
      }
      // The retry happens immediately, regardless of the backoff.
      failedAttempts = 0
      clearTimeout(retrying)
      if (state.status === 'failed') void start()
      else if (!stopFollowing) void catchUpAndFollow()
    },

    /** Called when the job starts or ends. At the end, the rest is read, and once more a moment later. */
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
