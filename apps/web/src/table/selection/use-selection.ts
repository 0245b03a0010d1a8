import { useMemo, useRef, useState } from 'react'

/** Which rows are ticked, by id. A row that is gone or filtered away is not selected: nobody acts on what they cannot see. */
export function useSelection<Row>(rows: readonly Row[], idOf: (row: Row) => string) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const anchor = useRef<number>(undefined)
  const selected = useMemo(
    () => (ids.size === 0 ? [] : rows.filter((row) => ids.has(idOf(row)))),
    [rows, ids, idOf],
  )

  return {
    ids,
    selected,
    clear: () => setIds(new Set()),
    rest: null,
    toggleAll: () => setIds(new Set(selected.length === rows.length ? [] : rows.map(idOf))),
    /** With `range`, everything from the row ticked before up to this one follows it. */
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
