import { useMemo, useState } from 'react'

/**
 * Keeps rows where they are while somebody points at them: live data may change what a row says, not where it stands.
 * Rows that went leave, new ones join at the end until the pointer is gone. What was asked for (a new filter or order)
 * always happens at once.
 */
export function useHeldOrder<Row>(rows: readonly Row[], idOf: (row: Row) => string, asked: unknown) {
  const [held, setHeld] = useState<{ order: readonly Row[]; asked: unknown } | null>(null)
  const shown = useMemo(
    () => (held && held.asked === asked ? inOrderOf(held.order, rows, idOf) : rows),
    [held, asked, rows, idOf],
  )
  const hold = () => {
    if (held?.asked !== asked) setHeld({ order: shown, asked })
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
