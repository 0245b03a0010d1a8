import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { createTextCache, filterRows } from './state/filter'
import { sortRows } from './state/sort'
import type { Sort } from './state/sort'
import type { TableSettings } from './state/table-state'
import { TableView } from './table-view'
import type { TableOptions } from './table-view'
import { useHeldOrder } from './rows/use-held-order'
import { useRowWindow } from './rows/use-row-window'
import { useSelection } from './selection/use-selection'
import { useTableState } from './state/use-table-state'

export interface DataTableProps<Row extends object> extends TableOptions<Row> {
  rows: readonly Row[]
  /** Where this page's settings are stored. */
  settings?: TableSettings
  /** Distinguishes two tables of one page in the URL. */
  urlKey?: string
  initialSort?: Sort | null
  /** The page's own filter in addition to the table's, and how to clear it. `keep` is the same function while it applies. */
  only?: { keep: ((row: Row) => boolean) | undefined; clear: () => void }
  /** Shown instead of the table when there are no rows. */
  empty?: ReactNode
}

/** A table whose rows are all loaded: filtered and sorted in the browser. For very long ones, see server-table. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { columns, rows, rowId, settings, urlKey = '', initialSort = null } = props
  const { state, setState, ...columnChoice } = useTableState({ urlKey, settings, initialSort })

  const textsOf = useMemo(() => createTextCache(columns), [columns])
  // Sorted before filtering, so that typing never sorts.
  const sorted = useMemo(() => sortRows(rows, columns, state.sort), [rows, columns, state.sort])
  const keep = props.only?.keep
  const kept = useMemo(() => (keep ? sorted.filter(keep) : sorted), [sorted, keep])
  const filtered = useMemo(
    () => filterRows(kept, columns, state.filter, textsOf),
    [kept, columns, state.filter, textsOf],
  )
  const { shown, pointer } = useHeldOrder(
    filtered,
    rowId,
    useMemo(() => ({ state, keep }), [state, keep]),
  )
  const selection = useSelection(shown, rowId, props.older)
  const rowWindow = useRowWindow(shown.length)

  if (rows.length === 0 && props.empty !== undefined) {
    return <div className="rounded-card border border-line-1 bg-surface-2">{props.empty}</div>
  }
  return (
    <TableView
      {...props}
      count={shown.length}
      all={rows.length}
      rowAt={(index) => shown[index]}
      state={state}
      onState={setState}
      {...columnChoice}
      rowWindow={rowWindow}
      selection={selection}
      pointer={pointer}
      onClearFilter={props.only?.clear}
      // Builds the texts now, so that the first keystroke is as fast as the others.
      onFilterFocus={() => sorted.forEach((row) => textsOf(row))}
    />
  )
}
