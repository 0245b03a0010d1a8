import { useRef, useState } from 'react'
import type { Selection } from '../table-view'

/**
 * The selected rows of a long table. Only some rows are loaded, so the selected ones are kept themselves. Another
 * filter clears the selection: users must not act on what they cannot see.
 */
export function useKeptSelection<Row>(
  rows: readonly Row[],
  rowAt: (index: number) => Row | undefined,
  idOf: (row: Row) => string,
  query: string,
  /** How many rows match, and a way to load all of them. */
  whole: { count: number; load: () => Promise<ReadonlyMap<string, Row>>; onError: (error: unknown) => void },
): Selection<Row> {
  const [kept, setKept] = useState<{ query: string; rows: ReadonlyMap<string, Row> }>({
    query,
    rows: new Map(),
  })
  const anchor = useRef<number>(undefined)
  const now = kept.query === query ? kept.rows : new Map<string, Row>()
  const set = (next: ReadonlyMap<string, Row>) => setKept({ query, rows: next })
  const [loading, setLoading] = useState(false)
  const selectRest = async () => {
    setLoading(true)
    try {
      set(await whole.load())
    } catch (error) {
      whole.onError(error)
    }
    setLoading(false)
  }
  // Rows that were refetched since are used in their current state.
  const fresh = new Map(rows.map((row) => [idOf(row), row]))
  return {
    ids: new Set(now.keys()),
    selected: [...now].map(([id, row]) => fresh.get(id) ?? row),
    only: (ids) => set(new Map([...now, ...fresh].filter(([id]) => ids.has(id)))),
    // Selecting all selects the loaded rows; the others take one more click, which shows their number.
    rest:
      now.size < whole.count ? { count: whole.count, busy: loading, select: () => void selectRest() } : null,
    toggleAll: () => {
      const all = rows.every((row) => now.has(idOf(row)))
      set(all ? new Map() : new Map([...now, ...fresh]))
    },
    toggle: (at, range) => {
      const row = rowAt(at)
      if (row === undefined) return
      const on = !now.has(idOf(row))
      const from = range ? (anchor.current ?? at) : at
      const next = new Map(now)
      for (let index = Math.min(from, at); index <= Math.max(from, at); index += 1) {
        const touched = rowAt(index)
        if (touched === undefined) continue
        if (on) next.set(idOf(touched), touched)
        else next.delete(idOf(touched))
      }
      anchor.current = at
      set(next)
    },
  }
}
