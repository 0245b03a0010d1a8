import type { FeedSource, FeedState } from './feed-state'
import { wholeCharacters } from './piece'
import type { Rows } from './rows'

export const PIECE_BYTES = 200_000

type Feed = {
  source: FeedSource
  rows: Rows
  state: () => FeedState
  set: (changes: Partial<FeedState>) => void
  /** The number of characters to drop; 0 while the limit is not exceeded. */
  overweight: () => number
  isGrowing: () => boolean
  isClosed: () => boolean
  follow: () => void
  unfollow: () => void
}

/** A position in the output: a row number and an offset in the row. */
export type RowPlace = { row: number; at: number }

/** Loads parts of the file other than its end. */
export function feedParts({ source, rows, state, set, overweight, ...feed }: Feed) {
  const changed = () => ({ version: state().version + 1 })

  return {
    async loadEarlier(): Promise<void> {
      const { from, loadingEarlier } = state()
      if (loadingEarlier || from === 0) return
      set({ loadingEarlier: true })
      const limit = Math.min(PIECE_BYTES, from)
      try {
        const found = await source.piece({ from: from - limit, limit })
        const whole = wholeCharacters({ ...found, next: from }, { before: found.from > 0, after: false })
        rows.prepend(whole.text, whole.from)
        set({ from: whole.from, ...changed() })
        const over = overweight()
        const next = over > 0 ? rows.dropLast(over) : null
        if (next !== null) {
          feed.unfollow()
          set({ next, behind: true, ...changed() })
        }
      } finally {
        set({ loadingEarlier: false })
      }
    },

    /** Loads the next part while the end is not loaded. */
    async loadLater(): Promise<void> {
      const { next, behind, loadingLater } = state()
      if (loadingLater || !behind) return
      set({ loadingLater: true })
      try {
        const found = await source.piece({ from: next, limit: PIECE_BYTES })
        if (feed.isClosed() || state().next !== next || found.from !== next) return
        const after = found.next < found.size || feed.isGrowing()
        const whole = wholeCharacters(found, { before: false, after })
        rows.append(whole.text, whole.from)
        const over = overweight()
        const from = over > 0 ? rows.dropFirst(over) : null
        const isBehind = found.next < found.size
        set({
          next: whole.next,
          size: found.size,
          behind: isBehind,
          ...(from !== null && { from }),
          ...changed(),
        })
        if (!isBehind) feed.follow()
      } finally {
        set({ loadingLater: false })
      }
    },

    /** Loads the part around an offset and returns its position; null if the file has become shorter. */
    async showAt(offset: number): Promise<RowPlace | null> {
      const earlier = Math.min(PIECE_BYTES / 2, offset)
      const [before, found] = await Promise.all([
        earlier > 0 ? source.piece({ from: offset - earlier, limit: earlier }) : null,
        source.piece({ from: offset, limit: PIECE_BYTES }),
      ])
      if (feed.isClosed() || found.size <= offset) return null
      feed.unfollow()
      rows.clear()
      const first = before && wholeCharacters(before, { before: before.from > 0, after: false })
      if (first) rows.append(first.text, first.from)
      let index = rows.count() - rows.openRows()
      let at = 0
      for (let open = index; open < rows.count(); open += 1) at += rows.get(open)?.text.length ?? 0
      const behind = found.next < found.size
      const whole = wholeCharacters(found, { before: offset > 0, after: behind || feed.isGrowing() })
      rows.append(whole.text, offset)
      // A long line continues in the next rows.
      for (let length; (length = rows.get(index)?.text.length ?? 0) <= at && index + 1 < rows.count();) {
        at -= length
        index += 1
      }
      const from = first?.from ?? offset
      set({ binary: false, from, next: whole.next, size: found.size, behind, ...changed() })
      if (!behind) feed.follow()
      return { row: rows.firstRow() + index, at }
    },
  }
}
