import { SearchX } from 'lucide-react'
import { useLayoutEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../ui/button/button'
import { EmptyState } from '../ui/feedback/empty-state'
import { MenuAt } from '../ui/overlay/menu'
import type { MenuEntry } from '../ui/overlay/menu-entry'
import { cx } from '../ui/text/cx'
import { useTimeStyle } from '../ui/text/time-style'
import { BulkBar } from './selection/bulk-bar'
import type { BulkAction, RestOfRows } from './selection/bulk-bar'
import { columnGrows, columnWidth, fitColumns, widenTimes } from './column'
import type { Column } from './column'
import type { Filter } from './state/filter'
import { FilterBar } from './state/filter-bar'
import { MissingRow } from './rows/missing-row'
import { ShowOlder } from './show-older'
import type { OlderRows } from './show-older'
import { TableHead } from './table-head'
import { TableRow } from './rows/table-row'
import { ColumnChooser, visibleColumns } from './state/column-chooser'
import type { HiddenColumns, TableState } from './state/table-state'
import { useBulkRun } from './selection/use-bulk-run'
import { useRowEvents } from './rows/use-row-events'
import { ROW_HEIGHT } from './rows/use-row-window'
import type { RowWindow } from './rows/use-row-window'

/** Options of every table, wherever its rows come from. */
export interface TableOptions<Row> {
  /** The name of the table and its filter, such as 'Clusters'. */
  label: string
  columns: readonly Column<Row>[]
  /** Must be the same function on every render. */
  rowId: (row: Row) => string
  rowActions?: (row: Row) => readonly MenuEntry[]
  bulkActions?: (rows: readonly Row[]) => readonly BulkAction[]
  /** When it changes, the row is highlighted for a second. */
  rowVersion?: (row: Row) => string | number
  /** To the right of the filter. */
  toolbar?: ReactNode
  filter?: boolean
  /** Any CSS length; the rows scroll inside it, below their header. */
  maxHeight?: string
  /** Loads older rows, if there are any; the newest come first. */
  older?: OlderRows | null
}

export interface Selection<Row> {
  ids: ReadonlySet<string>
  selected: readonly Row[]
  /** Selects these and no others. */
  only: (ids: ReadonlySet<string>) => void
  rest: RestOfRows | null
  toggleAll: () => void
  /** With `range`, applies to everything from the last toggled row to this one. */
  toggle: (at: number, range: boolean) => void
}

interface TableViewProps<Row> extends TableOptions<Row> {
  /** The number of rows, with and without the filter. */
  count: number
  all: number
  /** Undefined while the row is loading. */
  rowAt: (index: number) => Row | undefined
  state: TableState
  onState: (state: TableState) => void
  hidden: HiddenColumns
  setHidden: (hidden: HiddenColumns) => void
  rowWindow: RowWindow
  selection: Selection<Row>
  /** Listeners for the table body. */
  pointer: object
  onFilterFocus?: () => void
  /** Clears the page's own filter. */
  onClearFilter?: (() => void) | undefined
}

const SELECT_WIDTH = 36
const ACTIONS_WIDTH = 40

/** The rendered table: filter, head, visible rows, selection and menus. It does not know where rows come from. */
export function TableView<Row extends object>(props: TableViewProps<Row>) {
  const { label, columns, rowId, count, all, rowAt, state, onState, rowWindow, selection } = props
  const { rowActions, bulkActions, rowVersion } = props
  const { scroller, attach } = rowWindow
  const events = useRowEvents({
    count,
    pageSize: () => Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / ROW_HEIGHT) - 2),
    reveal: rowWindow.reveal,
    scroller,
    hasActions: rowActions !== undefined,
    toggle: bulkActions ? selection.toggle : null,
  })

  const bulk = useBulkRun(selection.only)
  const hasBar = bulkActions !== undefined && (selection.selected.length > 0 || bulk.progress !== null)

  const extra = (bulkActions ? SELECT_WIDTH : 0) + (rowActions ? ACTIONS_WIDTH : 0)
  const room = useWidth(scroller)
  const times = useTimeStyle()
  const fitting = useMemo(() => {
    const wanted = visibleColumns(columns, props.hidden)
    return fitColumns(times === 'absolute' ? widenTimes(wanted) : wanted, room - extra)
  }, [columns, props.hidden, times, room, extra])
  const minWidth = fitting.reduce((sum, column) => sum + columnWidth(column), extra)

  const setFilter = (filter: Filter) => {
    rowWindow.toTop()
    onState({ ...state, filter })
  }
  const clearFilter = () => {
    setFilter({ ...state.filter, text: '' })
    props.onClearFilter?.()
  }
  const menuRow = events.menu ? rowAt(events.menu.index) : undefined
  const drawn = Array.from(
    { length: Math.max(0, rowWindow.last + 1 - rowWindow.first) },
    (_, offset) => rowWindow.first + offset,
  )

  return (
    // The bar covers the bottom of the window; the padding lets the last row be scrolled above it.
    <div className={cx('min-w-0', hasBar && 'pb-16')}>
      {(props.filter ?? true) && (
        <FilterBar
          label={label}
          columns={columns}
          filter={state.filter}
          onChange={setFilter}
          onFocus={props.onFilterFocus}
          shown={count}
          all={all}
          more={Boolean(props.older)}
        >
          {props.toolbar}
          <ColumnChooser columns={columns} hidden={props.hidden} onChange={props.setHidden} />
        </FilterBar>
      )}
      <div className="overflow-hidden rounded-card border border-line-1 bg-surface-2">
        <div
          ref={attach}
          // `relative`, so that its visually hidden elements are placed inside and do not make the page scroll.
          className="relative scroll-pt-9 overflow-auto overscroll-x-contain"
          style={{ maxHeight: props.maxHeight ?? 'max(20rem, calc(100dvh - 14rem))' }}
        >
          <table
            aria-label={label}
            aria-rowcount={count + 1}
            className="w-full table-fixed border-separate border-spacing-0"
            style={{ minWidth }}
          >
            <colgroup>
              {bulkActions && <col style={{ width: SELECT_WIDTH }} />}
              {fitting.map((column) => (
                <col
                  key={column.id}
                  style={columnGrows(column) ? undefined : { width: columnWidth(column) }}
                />
              ))}
              {rowActions && <col style={{ width: ACTIONS_WIDTH }} />}
            </colgroup>
            <TableHead
              columns={fitting}
              sort={state.sort}
              onSort={(sort) => onState({ ...state, sort })}
              selection={
                bulkActions
                  ? {
                      all: count > 0 && selection.selected.length === count,
                      some: selection.selected.length > 0,
                      toggleAll: selection.toggleAll,
                    }
                  : null
              }
              hasActions={rowActions !== undefined}
            />
            <tbody {...events.listeners} {...props.pointer}>
              <Gap height={rowWindow.before} />
              {drawn.map((index) => {
                const row = rowAt(index)
                return row === undefined ? (
                  <MissingRow key={`missing ${index}`} index={index} />
                ) : (
                  <TableRow
                    key={rowId(row)}
                    row={row}
                    index={index}
                    columns={fitting}
                    selected={bulkActions ? selection.ids.has(rowId(row)) : undefined}
                    focusable={index === events.focused}
                    hasActions={rowActions !== undefined}
                    version={rowVersion?.(row)}
                  />
                )
              })}
              <Gap height={rowWindow.after} />
            </tbody>
          </table>
          {all > 0 && count === 0 && (
            <EmptyState
              icon={SearchX}
              title="No matches"
              action={<Button onClick={clearFilter}>Clear filter</Button>}
            >
              {isComparingAny(state.filter)
                ? `None of the ${all} rows has a number that matches. Choose a column to compare times or text.`
                : `None of the ${all} rows match this filter.`}
            </EmptyState>
          )}
        </div>
        {props.older && <ShowOlder older={props.older} loaded={all} />}
      </div>
      {hasBar && (
        <BulkBar
          count={selection.selected.length}
          actions={bulkActions(selection.selected)}
          rest={selection.rest}
          bulk={{ run: bulk.run, clear: () => selection.only(new Set()) }}
          progress={bulk.progress}
        />
      )}
      {rowActions && (
        <MenuAt
          label="Row actions"
          items={menuRow ? rowActions(menuRow) : []}
          anchor={(menuRow && events.menu?.anchor) ?? null}
          returnFocus={events.menu?.from}
          onClose={events.closeMenu}
        />
      )}
    </div>
  )
}

const isComparingAny = ({ by, in: column }: Filter): boolean =>
  column === null && (by === 'greaterThan' || by === 'lessThan')

/** Takes the space of rows that are not rendered. */
function Gap({ height }: { height: number }) {
  return height > 0 ? <tr aria-hidden style={{ height }} /> : null
}

function useWidth(box: HTMLElement | null): number {
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    if (!box) return
    const measure = () => setWidth(box.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [box])
  return width
}
