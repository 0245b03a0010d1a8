import { createStore } from '../../../../store'
import type { Piece } from './piece'

export type FilePiece = Piece & { size: number; binary: boolean }

/** The server side of a feed. */
export type FeedSource = {
  /** Reads a range of the file; without `from`, the end of the file. */
  piece: (range: { from?: number; limit: number }) => Promise<FilePiece>
  /**
   * Sends chunks as the file grows, until the returned function is called. Calls `lost` if the stream ends by itself.
   */
  follow: (
    from: number,
    on: { piece: (piece: Piece) => void; lost: (reason: string | null) => void },
  ) => () => void
}

export type FeedState = {
  status: 'loading' | 'ready' | 'failed'
  problem: string | null
  binary: boolean
  /** The displayed part, in bytes. */
  from: number
  next: number
  size: number
  /** Incremented with every change of the rows. */
  version: number
  /** Whether new output arrives automatically. */
  live: boolean
  loadingEarlier: boolean
  loadingLater: boolean
  /** Whether the end is not loaded. Jumping to the newest output reads it again. */
  behind: boolean
}

export const initial: FeedState = {
  status: 'loading',
  problem: null,
  binary: false,
  from: 0,
  next: 0,
  size: 0,
  version: 0,
  live: false,
  loadingEarlier: false,
  loadingLater: false,
  behind: false,
}

const DRAW_EVERY_MS = 40

/** The state for rendering: updated immediately, or throttled during a flood of output. */
export function shownState() {
  const store = createStore<FeedState>(initial)
  let drawing: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    clearTimeout(drawing)
    drawing = undefined
  }
  const set = (state: FeedState) => {
    stop()
    store.set(state)
  }
  return {
    store,
    stop,
    set,
    setThrottled: (newest: () => FeedState) => {
      drawing ??= setTimeout(() => set(newest()), DRAW_EVERY_MS)
    },
  }
}
