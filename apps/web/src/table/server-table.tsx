import { useState } from 'react'
import type { ReactNode } from 'react'
import { Async } from '../ui/feedback/async'
import { SkeletonRows } from '../ui/feedback/skeleton'
import type { Sort } from './state/sort'
import { toRowQuery, loadAll } from './state/table-query'
import type { TableSettings, TableState } from './state/table-state'
import { TableView } from './table-view'
import type { TableOptions } from './table-view'
import { useHeldOrder } from './rows/use-held-order'
import { useKeptSelection } from './selection/use-kept-selection'
import { useRowWindow } from './rows/use-row-window'
import { useServerRows } from './rows/use-server-rows'
import type { RowSource } from './rows/use-server-rows'
import { useTableState } from './state/use-table-state'

interface ServerTableProps<Row extends object> extends TableOptions<Row> {
  source: RowSource<Row>
  /** The page's own filter in addition to the table's, and how to clear it. */
  only?: { state: string | undefined; clear: () => void }
  settings?: TableSettings
  urlKey?: string
  initialSort?: Sort | null
  /** Shown instead of the table when there are no rows. */
  empty?: ReactNode
}

/**
 * A table that is too long to load completely: the server filters, sorts and pages it, and only visible rows are
 * fetched.
 */
export function ServerTable<Row extends object>(props: ServerTableProps<Row>) {
  const { source, rowId, settings, urlKey = '', initialSort = null } = props
  const { state, setState, ...columnChoice } = useTableState({ urlKey, settings, initialSort })
  const query = { ...toRowQuery(state), ...(props.only?.state && { state: props.only.state }) }
  const queryText = JSON.stringify(query)

  // The count is known only from a response, and the rows to request only from the count.
  const [count, setCount] = useState(0)
  const rowWindow = useRowWindow(count)
  const rows = useServerRows(source, query, rowWindow.first, rowWindow.last)
  const { shown } = rows
  if (shown && shown.count !== count) setCount(shown.count)

  const here = (shown?.rows ?? []).filter((row) => row !== undefined)
  const whole = here.length === shown?.rows.length
  const held = useHeldOrder(here, rowId, `${queryText} ${shown?.query} ${shown?.from} ${here.length}`)
  const inOrder = whole ? held.shown : shown?.rows
  const rowAt = (index: number) => inOrder?.[index - (shown?.from ?? 0)]
  const selection = useKeptSelection(here, rowAt, rowId, queryText, {
    count,
    load: () => loadAll(query, (page) => source.load(page, { repeat: false }), rowId),
    onError: source.onError,
  })

  const data = { ...rows, data: shown ?? undefined, isPending: shown === null }
  return (
    <Async data={data} skeleton={<SkeletonRows rows={10} columns={6} />}>
      {({ all }) =>
        all === 0 && props.empty !== undefined ? (
          <div className="rounded-card border border-line-1 bg-surface-2">{props.empty}</div>
        ) : (
          <TableView
            {...props}
            count={count}
            all={all}
            rowAt={rowAt}
            state={state}
            onState={(next: TableState) => {
              if (next.sort !== state.sort) rowWindow.toTop()
              setState(next)
            }}
            {...columnChoice}
            rowWindow={rowWindow}
            selection={selection}
            pointer={held.pointer}
            onClearFilter={props.only?.clear}
          />
        )
      }
    </Async>
  )
}
