import { useMemo, useRef, useState } from 'react'
import type { OlderRows } from '../show-older'

/** The selected rows by ID. A removed or filtered row is not selected: users must not act on what they cannot see. */
export function useSelection<Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  older: OlderRows | null = null,
) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  /** Whether all rows were requested and the older ones are still loading. */
  const [awaited, setAwaited] = useState(false)
  if (awaited && older === null) {
    setAwaited(false)
    setIds(new Set(rows.map(idOf)))
  }
  const anchor = useRef<number>(undefined)
  const selected = useMemo(
    () => (ids.size === 0 ? [] : rows.filter((row) => ids.has(idOf(row)))),
    [rows, ids, idOf],
  )

  return {
    ids,
    selected,
    only: setIds,
    rest: older
      ? {
          count: null,
          busy: awaited && older.busy,
          select: () => {
            setAwaited(true)
            older.showAll()
          },
        }
      : selected.length < rows.length
        ? { count: rows.length, busy: false, select: () => setIds(new Set(rows.map(idOf))) }
        : null,
    toggleAll: () => setIds(new Set(selected.length === rows.length ? [] : rows.map(idOf))),
    /** With `range`, applies to everything from the last toggled row to this one. */
    toggle: (at: number, range: boolean) => {
      const row = rows[at]
      if (row === undefined) return
      const on = !ids.has(idOf(row))
      const from = range ? (anchor.current ?? at) : at
      const next = new Set(ids)
      for (const touched of rows.slice(Math.min(from, at), Math.max(from, at) + 1)) {
        if (on) next.add(idOf(touched))
        else next.delete(idOf(touched))
      }
      anchor.current = at
      setIds(next)
    },
  }
}
