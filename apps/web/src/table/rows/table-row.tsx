import { Ellipsis } from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { Checkbox } from '../../ui/form/checkbox'
import { cx } from '../../ui/text/cx'
import { Glyph } from '../../ui/status/icon'
import { alignsRight } from '../column'
import type { Column } from '../column'
import { shownTexts } from '../value-text'

/** How long a changed row stays highlighted. */
const TINT_MS = 1000

interface TableRowProps<Row> {
  row: Row
  index: number
  columns: readonly Column<Row>[]
  /** Undefined when rows cannot be selected. */
  selected: boolean | undefined
  /** The row that the Tab key reaches. */
  focusable: boolean
  hasActions: boolean
  version: string | number | undefined
}

/**
 * Renders a row without handlers: the table has one set of listeners for all rows (by data-index and data-part), so
 * that a row is rendered again only when its own data changes.
 */
export const TableRow = memo(PlainRow) as typeof PlainRow // memo() forgets the type parameter

function PlainRow<Row>({
  row,
  index,
  columns,
  selected,
  focusable,
  hasActions,
  version,
}: TableRowProps<Row>) {
  const changed = useJustChanged(version)
  const [first] = columns
  const name = first ? shownTexts(first, row)[0] : ''
  return (
    <tr
      data-index={index}
      aria-rowindex={index + 2}
      tabIndex={focusable ? 0 : -1}
      className={cx(
        'row-ring h-9 [&:not(:last-child)>td]:border-b',
        selected || changed ? 'bg-accent-soft' : 'bg-surface-2 hover:bg-surface-1',
      )}
    >
      {selected !== undefined && (
        <td className="border-line-1 p-0 pl-3">
          <span className="flex">
            <Checkbox
              data-part="select"
              aria-label={`Select ${name}`}
              tabIndex={focusable ? 0 : -1}
              checked={selected}
              onChange={nothing}
            />
          </span>
        </td>
      )}
      {columns.map((column) => {
        const [text] = shownTexts(column, row)
        return (
          <td
            key={column.id}
            title={column.type === 'date' ? undefined : text}
            className={cx(
              'truncate border-line-1 px-3 py-0',
              alignsRight(column) && 'text-right tabular-nums',
              column !== first && 'text-ink-2',
            )}
          >
            {column.cell ? column.cell(row) : text === '' ? <span className="text-ink-3">–</span> : text}
          </td>
        )
      })}
      {hasActions && (
        <td className="sticky right-0 border-line-1 bg-inherit p-0 pr-1 text-right">
          <button
            type="button"
            data-part="menu"
            tabIndex={focusable ? 0 : -1}
            aria-haspopup="menu"
            aria-label={`Actions for ${name}`}
            className="inline-flex size-7 items-center justify-center rounded-control text-ink-3 hover:bg-surface-3 hover:text-ink-1"
          >
            <Glyph icon={Ellipsis} />
          </button>
        </td>
      )}
    </tr>
  )
}

/** The table handles the click; React requires a handler. */
const nothing = () => {}

function useJustChanged(version: string | number | undefined): boolean {
  const before = useRef(version)
  const [changed, setChanged] = useState(false)
  useEffect(() => {
    if (before.current === version) return
    before.current = version
    setChanged(true)
    const timer = setTimeout(() => setChanged(false), TINT_MS)
    return () => clearTimeout(timer)
  }, [version])
  return changed
}
