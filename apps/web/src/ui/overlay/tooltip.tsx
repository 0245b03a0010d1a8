import { cloneElement, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { PointerEvent, ReactElement, ReactNode } from 'react'
import { placeBeside } from './place-beside'
import type { Side } from './place-beside'

const OPEN_AFTER_MS = 400
/** Within this time after a tooltip closes, the next opens immediately, so that users can scan a row of icons. */
const WARM_MS = 300
let lastClosed = 0

interface TooltipProps {
  content: ReactNode
  side?: Side
  /** False if the text only repeats the element's accessible name. */
  describe?: boolean
  /** Also opens on tap, for elements whose tap does nothing else, such as a disabled button. */
  openOnClick?: boolean
  /** Exactly one element that takes `aria-describedby`. */
  children: ReactElement<{ 'aria-describedby'?: string | undefined }>
}

/**
 * Our own, based on the popover attribute: it is in the top layer, and so also above a modal <dialog>, and adds almost
 * nothing to the login page.
 */
export function Tooltip({
  content,
  side = 'top',
  describe = true,
  openOnClick = false,
  children,
}: TooltipProps) {
  const [open, setOpen] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const frame = useRef<HTMLSpanElement>(null)
  const id = useId()

  const show = (afterMs: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setOpen(true), afterMs)
  }
  const hide = () => {
    clearTimeout(timer.current)
    if (open) lastClosed = Date.now()
    setOpen(false)
  }
  useEffect(() => () => clearTimeout(timer.current), [])

  const enter = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return
    show(Date.now() - lastClosed < WARM_MS ? 0 : OPEN_AFTER_MS)
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- only watches what happens to its child
    <span
      ref={frame}
      className="contents"
      onPointerEnter={enter}
      onPointerLeave={hide}
      onPointerDown={openOnClick ? undefined : hide}
      onClick={openOnClick ? () => setOpen(true) : undefined}
      onFocus={(event) => event.target.matches(':focus-visible') && setOpen(true)}
      onBlur={hide}
      onKeyDown={(event) => event.key === 'Escape' && hide()}
    >
      {describe ? cloneElement(children, { 'aria-describedby': id }) : children}
      {describe && (
        <span id={id} hidden>
          {content}
        </span>
      )}
      {open && (
        <Bubble anchor={frame} side={side} onScroll={hide}>
          {content}
        </Bubble>
      )}
    </span>
  )
}

interface BubbleProps {
  anchor: { current: HTMLSpanElement | null }
  side: Side
  onScroll: () => void
  children: ReactNode
}

function Bubble({ anchor, side, onScroll, children }: BubbleProps) {
  const bubble = useRef<HTMLSpanElement>(null)

  useLayoutEffect(() => {
    const target = anchor.current?.firstElementChild
    const element = bubble.current
    if (!target || !element) return
    element.showPopover()
    const { left, top } = placeBeside(target.getBoundingClientRect(), element.getBoundingClientRect(), side)
    element.style.left = `${left}px`
    element.style.top = `${top}px`
  }, [anchor, side, children])

  useEffect(() => {
    addEventListener('scroll', onScroll, { capture: true, passive: true })
    return () => removeEventListener('scroll', onScroll, { capture: true })
  }, [onScroll])

  return (
    <span
      ref={bubble}
      popover="manual"
      aria-hidden
      className="fixed inset-auto m-0 max-w-72 animate-appear rounded-control border-0 bg-ink-1 px-2 py-1 text-label font-normal whitespace-normal text-surface-2 shadow-float"
    >
      {children}
    </span>
  )
}
