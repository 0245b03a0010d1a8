import { ArrowDown, ArrowUp } from 'lucide-react'
import { Checkbox } from '../ui/form/checkbox'
import { cx } from '../ui/text/cx'
import { Glyph } from '../ui/status/icon'
import { alignsRight } from './column'
import type { Column } from './column'
import { nextSort } from './state/sort'
import type { Sort } from './state/sort'

interface TableHeadProps {
  columns: readonly Column<never>[]
  sort: Sort | null
  onSort: (sort: Sort | null) => void
  /** Missing when rows cannot be selected. */
  selection: { all: boolean; some: boolean; toggleAll: () => void } | null
  hasActions: boolean
}

const cell = 'sticky top-0 z-10 h-9 border-b border-line-1 bg-surface-1 p-0 text-label font-medium text-ink-2'

export function TableHead({ columns, sort, onSort, selection, hasActions }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {selection && (
          <th className={cx(cell, 'pl-3 text-left')}>
            <span className="flex">
              <Checkbox
                aria-label="Select all rows"
                checked={selection.all}
                indeterminate={selection.some && !selection.all}
                onChange={selection.toggleAll}
              />
            </span>
          </th>
        )}
        {columns.map((column) => {
          const sorted = sort?.column === column.id ? sort : null
          return (
            <th
              key={column.id}
              scope="col"
              aria-sort={sorted ? (sorted.descending ? 'descending' : 'ascending') : undefined}
              className={cell}
            >
              {column.sortable === false ? (
                <span className={cx('flex px-3', alignsRight(column) && 'justify-end')}>
                  <Title column={column} />
                </span>
              ) : (
                <button
                  type="button"
                  onClick={() => onSort(nextSort(sort, column.id))}
                  className={cx(
                    'group flex h-9 w-full items-center gap-1 px-3 whitespace-nowrap hover:text-ink-1 focus-visible:-outline-offset-2',
                    alignsRight(column) && 'flex-row-reverse',
                  )}
                >
                  <Title column={column} />
                  <Glyph
                    icon={sorted?.descending ? ArrowDown : ArrowUp}
                    className={cx(
                      'size-3.5',
                      !sorted && 'opacity-0 group-hover:opacity-50',
                      // It takes no room from the title until the column is sorted.
                      !sorted && (alignsRight(column) ? '-ml-4.5' : '-mr-4.5'),
                    )}
                  />
                </button>
              )}
            </th>
          )
        })}
        {hasActions && (
          <th className={cx(cell, 'right-0 z-20')}>
            <span className="sr-only">Actions</span>
          </th>
        )}
      </tr>
    </thead>
  )
}

function Title({ column }: { column: Column<never> }) {
  return (
    <span className="truncate">
      {column.header}
      {column.unit && <span className="ml-1 font-normal text-ink-3">{column.unit}</span>}
    </span>
  )
}
