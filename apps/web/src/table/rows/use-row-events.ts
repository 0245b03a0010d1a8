import { useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, MouseEvent } from 'react'
import type { MenuAnchor } from '../../ui/overlay/menu-entry'

interface Options {
  count: number
  pageSize: () => number
  reveal: (index: number) => void
  scroller: HTMLElement | null
  hasActions: boolean
  toggle: ((index: number, range: boolean) => void) | null
}

export interface RowMenu {
  index: number
  anchor: MenuAnchor
  from: HTMLElement
}

const rowOf = (target: EventTarget): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('tr[data-index]') : null

const indexOf = (row: HTMLElement): number => Number(row.dataset['index'])

/** One set of listeners for all rows: moving the row focus, opening, selecting, and the row menu. */
export function useRowEvents({ count, pageSize, reveal, scroller, hasActions, toggle }: Options) {
  const [focused, setFocused] = useState(0)
  const [menu, setMenu] = useState<RowMenu | null>(null)
  const moved = useRef(false)

  useLayoutEffect(() => {
    // The row may only just have been rendered.
    if (!moved.current) return
    const row = scroller?.querySelector<HTMLElement>(`tr[data-index='${focused}']`)
    if (!row) return
    moved.current = false
    row.focus({ preventScroll: true })
    row.scrollIntoView({ block: 'nearest' })
  })

  const steps: Record<string, (at: number) => number> = {
    ArrowDown: (at) => at + 1,
    ArrowUp: (at) => at - 1,
    PageDown: (at) => at + pageSize(),
    PageUp: (at) => at - pageSize(),
    Home: () => 0,
    End: () => count - 1,
  }

  const openBeside = (row: HTMLElement) => {
    const { right, top, height } = (row.querySelector('[data-part=menu]') ?? row).getBoundingClientRect()
    setMenu({ index: indexOf(row), anchor: { x: right - 28, y: top, width: 28, height }, from: row })
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const row = rowOf(event.target)
    // Keys inside a cell's own control belong to that control.
    if (!row || event.target !== row || event.ctrlKey || event.metaKey || event.altKey) return
    const step = steps[event.key]
    if (step) {
      const next = Math.max(0, Math.min(count - 1, step(indexOf(row))))
      moved.current = true
      setFocused(next)
      reveal(next)
    } else if (event.key === 'Enter') {
      row.querySelector('a')?.click()
    } else if (event.key === ' ' && toggle) {
      toggle(indexOf(row), event.shiftKey)
    } else if (hasActions && (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))) {
      openBeside(row)
    } else return
    event.preventDefault()
  }

  const onContextMenu = (event: MouseEvent<HTMLElement>) => {
    const row = rowOf(event.target)
    // Shift or selected text keeps the browser's own menu.
    if (!row || !hasActions || event.shiftKey || String(getSelection())) return
    event.preventDefault()
    setMenu({ index: indexOf(row), anchor: { x: event.clientX, y: event.clientY }, from: row })
  }

  const onClick = (event: MouseEvent<HTMLElement>) => {
    const row = rowOf(event.target)
    const part = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-part]') : null
    if (!row || !part) return
    if (part.dataset['part'] === 'select') toggle?.(indexOf(row), event.shiftKey)
    else openBeside(row)
  }

  return {
    focused: Math.min(focused, Math.max(0, count - 1)),
    menu,
    closeMenu: () => setMenu(null),
    /** Spread on the <tbody>. */
    listeners: {
      onKeyDown,
      onContextMenu,
      onClick,
      onFocus: (event: { target: EventTarget }) => {
        const row = rowOf(event.target)
        if (row) setFocused(indexOf(row))
      },
    },
  }
}
