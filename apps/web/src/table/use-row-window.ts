import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'

export const ROW_HEIGHT = 36
/** Up to here all rows are drawn: simpler for the browser's own search and for print. */
const DRAW_ALL = 100

export type RowWindow = ReturnType<typeof useRowWindow>

/** Which rows are drawn, and the empty room before and after them. */
export function useRowWindow(count: number) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = count > DRAW_ALL
  // oxlint-disable-next-line react/incompatible-library -- the compiler it speaks of is not used here
  const virtualizer = useVirtualizer({
    count,
    enabled: virtual,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    // Rows are drawn at once, before the real height is known.
    initialRect: { width: 0, height: 800 },
    // The sticky header takes its height from what can be seen.
    scrollPaddingEnd: ROW_HEIGHT,
  })
  const drawn = virtual ? virtualizer.getVirtualItems() : []
  const first = drawn[0]?.index ?? 0
  const last = virtual ? (drawn.at(-1)?.index ?? -1) : count - 1
  return {
    scroller,
    first,
    last,
    before: first * ROW_HEIGHT,
    after: virtual ? (count - 1 - last) * ROW_HEIGHT : 0,
    reveal: (index: number) => {
      if (virtual) virtualizer.scrollToIndex(index, { align: 'auto' })
    },
    toTop: () => scroller.current?.scrollTo({ top: 0 }),
  }
}
