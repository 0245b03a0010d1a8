import { useMemo, useState } from 'react'

/**
 * Keeps rows in place while the pointer is over them: live data may change a row's content, not its position. Removed
 * rows disappear, and new ones are added at the end until the pointer leaves. A new filter or order always applies
 * immediately.
 */
export function useHeldOrder<Row>(rows: readonly Row[], idOf: (row: Row) => string, query: unknown) {
  const [held, setHeld] = useState<{ order: readonly Row[]; query: unknown } | null>(null)
  const shown = useMemo(
    () => (held && held.query === query ? inOrderOf(held.order, rows, idOf) : rows),
    [held, query, rows, idOf],
  )
  const hold = () => {
    if (held?.query !== query) setHeld({ order: shown, query })
  }
  return {
    shown,
    /** Spread on the element that contains the rows. */
    pointer: { onPointerEnter: hold, onPointerMove: hold, onPointerLeave: () => setHeld(null) },
  }
}

export function inOrderOf<Row>(
  before: readonly Row[],
  now: readonly Row[],
  idOf: (row: Row) => string,
): readonly Row[] {
  if (before === now) return now
  const byId = new Map(now.map((row) => [idOf(row), row]))
  const kept: Row[] = []
  for (const id of before.map(idOf)) {
    const row = byId.get(id)
    if (row === undefined) continue
    kept.push(row)
    byId.delete(id)
  }
  return [...kept, ...byId.values()]
}
