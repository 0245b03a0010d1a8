export type Side = 'top' | 'bottom' | 'left' | 'right'

interface Box {
  left: number
  top: number
  width: number
  height: number
}

const GAP = 6
const MARGIN = 8
const opposite: Record<Side, Side> = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' }

function at(anchor: Box, size: { width: number; height: number }, side: Side) {
  const middleX = anchor.left + anchor.width / 2 - size.width / 2
  const middleY = anchor.top + anchor.height / 2 - size.height / 2
  if (side === 'top') return { left: middleX, top: anchor.top - size.height - GAP }
  if (side === 'bottom') return { left: middleX, top: anchor.top + anchor.height + GAP }
  if (side === 'left') return { left: anchor.left - size.width - GAP, top: middleY }
  return { left: anchor.left + anchor.width + GAP, top: middleY }
}

/** The position of a floating element: on the preferred side if it fits, else on the other, always inside the window. */
export function placeBeside(
  anchor: Box,
  size: { width: number; height: number },
  side: Side,
  view = { width: innerWidth, height: innerHeight },
): { left: number; top: number } {
  const fits = ({ left, top }: { left: number; top: number }) =>
    left >= MARGIN &&
    top >= MARGIN &&
    left + size.width <= view.width - MARGIN &&
    top + size.height <= view.height - MARGIN
  const upright = side === 'top' || side === 'bottom'
  const wanted = at(anchor, size, side)
  const other = at(anchor, size, opposite[side])
  const roomy = upright
    ? wanted.top >= MARGIN && wanted.top + size.height <= view.height - MARGIN
    : wanted.left >= MARGIN && wanted.left + size.width <= view.width - MARGIN
  const chosen = roomy || !fits(other) ? wanted : other
  const within = (value: number, length: number, limit: number) =>
    Math.round(Math.max(MARGIN, Math.min(value, limit - length - MARGIN)))
  return {
    left: within(chosen.left, size.width, view.width),
    top: within(chosen.top, size.height, view.height),
  }
}
