import { createStore } from '../../../store'
import type { Piece } from './piece'

export type FilePiece = Piece & { size: number; binary: boolean }

/** What the feed asks of the server. */
export type FeedSource = {
  /** Without `from`, the end of the file. */
  piece: (ask: { from?: number; limit: number }) => Promise<FilePiece>
  /** Pieces as the file grows, until the returned function is called; `lost` when they end by themselves. */
  follow: (
    from: number,
    on: { piece: (piece: Piece) => void; lost: (reason: string | null) => void },
  ) => () => void
}

export type FeedState = {
  status: 'loading' | 'ready' | 'failed'
  problem: string | null
  binary: boolean
  /** The shown part, in bytes. */
  from: number
  next: number
  size: number
  /** Grows with every change of the rows. */
  version: number
  /** New output arrives by itself. */
  live: boolean
  loadingEarlier: boolean
  /** What was loaded of the end was let go of to make room: going to the newest reads it again. */
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
  behind: false,
}

const DRAW_EVERY_MS = 40

/** The state as the page draws it: at once, or what comes in a flood only now and then. */
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
