import { useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

export const ROW_HEIGHT = 36
/** Up to here all rows are drawn: simpler for the browser's own search and for print. */
const DRAW_ALL = 100
/** Drawn beyond what is in sight, on either side. */
const SPARE = 8
/** Rows are drawn at once, before the real height is known. */
const FIRST_GUESS = { top: 0, rows: 22 }

export type RowWindow = ReturnType<typeof useRowWindow>

/** Which rows are drawn, and the empty room before and after them. Every row is as high as the others. */
export function useRowWindow(count: number) {
  // Not a ref: the table may come later than its rows, and anew.
  const [scroller, attach] = useState<HTMLElement | null>(null)
  const virtual = count > DRAW_ALL
  const seen = useSeenRows(virtual ? scroller : null)
  // A filter may leave fewer rows than were scrolled past.
  const top = Math.min(seen.top, Math.max(0, count - seen.rows))
  const first = virtual ? Math.max(0, top - SPARE) : 0
  const last = virtual ? Math.min(count - 1, top + seen.rows + SPARE) : count - 1
  return {
    /** The element that scrolls the rows, and what it is handed to as its ref. */
    scroller,
    attach,
    first,
    last,
    before: first * ROW_HEIGHT,
    after: (count - 1 - last) * ROW_HEIGHT,
    reveal: (index: number) => {
      if (!scroller || !virtual) return
      // The sticky header, as high as a row, lies over the first of them.
      const lowest = (index + 2) * ROW_HEIGHT - scroller.clientHeight
      scroller.scrollTo({ top: Math.max(lowest, Math.min(scroller.scrollTop, index * ROW_HEIGHT)) })
    },
    toTop: () => scroller?.scrollTo({ top: 0 }),
  }
}

/** The first row in sight and how many fit, counted in whole rows: most of a scroll then draws nothing. */
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
    // Drawn before the browser paints the new position, or empty room would show.
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
