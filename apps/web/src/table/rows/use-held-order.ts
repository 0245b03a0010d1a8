import { useMemo, useState } from 'react'

/**
 * Keeps rows where they are while somebody points at them: live data may change what a row says, not where it stands.
 * Rows that went leave, new ones join at the end until the pointer is gone. What was asked for (a new filter or order)
 * always happens at once.
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
    /** Spread on what holds the rows. */
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
