interface Box {
  left: number
  top: number
  width: number
  height: number
}

const GAP = 4
const MARGIN = 8

/** The position of a menu: below its button if there is room, else above, as tall as the window allows. */
export function placeUnder(
  anchor: Box,
  size: { width: number; height: number },
  align: 'start' | 'end',
  view = { width: innerWidth, height: innerHeight },
): { left: number; top: number; maxHeight: number } {
  const bottom = anchor.top + anchor.height
  const below = view.height - MARGIN - bottom - GAP
  const above = anchor.top - GAP - MARGIN
  const isUnder = size.height <= below || below >= above
  const maxHeight = Math.max(0, isUnder ? below : above)
  const left = align === 'start' ? anchor.left : anchor.left + anchor.width - size.width
  return {
    left: Math.round(Math.max(MARGIN, Math.min(left, view.width - size.width - MARGIN))),
    top: Math.round(isUnder ? bottom + GAP : anchor.top - GAP - Math.min(size.height, maxHeight)),
    maxHeight: Math.floor(maxHeight),
  }
}
