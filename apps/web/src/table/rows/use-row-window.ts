import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'

export const ROW_HEIGHT = 36
/** Up to this many, all rows are rendered: better for the browser's search. */
const DRAW_ALL = 100
/** Rendered beyond the visible rows, on either side, once those are painted: the first paint does not wait for them. */
const SPARE = 8
const SPARE_AFTER_MS = 50
/** Rows are rendered immediately, before the real height is known: as many as fit into a low table. */
const FIRST_GUESS = { top: 0, rows: 12 }

export type RowWindow = ReturnType<typeof useRowWindow>

/** The rows to render, and the space before and after them. All rows have the same height. */
export function useRowWindow(count: number) {
  // State instead of a ref, because the table may be mounted after its rows, or mounted again.
  const [scroller, attach] = useState<HTMLElement | null>(null)
  const virtual = !useOnPaper() && count > DRAW_ALL
  const seen = useSeenRows(virtual ? scroller : null)
  const spare = useSpareRows(virtual && scroller !== null)
  // A filter may leave fewer rows than were scrolled past.
  const top = Math.min(seen.top, Math.max(0, count - seen.rows))
  const first = virtual ? Math.max(0, top - spare) : 0
  const last = virtual ? Math.min(count - 1, top + seen.rows + spare) : count - 1
  return {
    /** The element that scrolls the rows, and its ref callback. */
    scroller,
    attach,
    first,
    last,
    before: first * ROW_HEIGHT,
    after: (count - 1 - last) * ROW_HEIGHT,
    reveal: (index: number) => {
      if (!scroller || !virtual) return
      // The sticky header, one row high, covers the first row.
      const lowest = (index + 2) * ROW_HEIGHT - scroller.clientHeight
      scroller.scrollTo({ top: Math.max(lowest, Math.min(scroller.scrollTop, index * ROW_HEIGHT)) })
    },
    toTop: () => scroller?.scrollTo({ top: 0 }),
  }
}

const paper = matchMedia('print')
const onPaperChange = (notify: () => void) => {
  paper.addEventListener('change', notify)
  return () => paper.removeEventListener('change', notify)
}
/** Paper cannot be scrolled: all rows are printed. */
const useOnPaper = () => useSyncExternalStore(onPaperChange, () => paper.matches)

function useSpareRows(shown: boolean): number {
  const [spare, setSpare] = useState(0)
  useEffect(() => {
    if (!shown) return
    const timer = setTimeout(() => setSpare(SPARE), SPARE_AFTER_MS)
    return () => {
      clearTimeout(timer)
      setSpare(0)
    }
  }, [shown])
  return spare
}

/** The first visible row and how many fit, in whole rows: most scrolling then renders nothing. */
function useSeenRows(box: HTMLElement | null): typeof FIRST_GUESS {
  const [seen, setSeen] = useState(FIRST_GUESS)
  useLayoutEffect(() => {
    if (!box) return
    const measure = () => {
      const now = {
        top: Math.floor(box.scrollTop / ROW_HEIGHT),
        rows: Math.ceil(box.clientHeight / ROW_HEIGHT),
      }
      setSeen((before) => (before.top === now.top && before.rows === now.rows ? before : now))
    }
    // Rendered before the browser paints the new position, or empty space would show.
    const scrolled = () => flushSync(measure)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    box.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', scrolled)
    }
  }, [box])
  return seen
}
