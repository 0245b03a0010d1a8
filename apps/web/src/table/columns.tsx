import type { ReactNode } from 'react'
import { Badge } from '../ui/status/badge'
import { RowLink } from '../ui/button/link'
import { RelativeTime } from '../ui/text/relative-time'
import { Status } from '../ui/status/status'
import type { Tone } from '../ui/status/tone'
import type { Column } from './column'

/* The standard columns: a page defines what to show, these define how. Row actions are the table's own last column. */

type Frame<Row> = Pick<Column<Row>, 'id' | 'header'> &
  Partial<Pick<Column<Row>, 'width' | 'least' | 'grow' | 'priority' | 'sortable'>>

export function textColumn<Row>(
  column: Frame<Row> & { value: (row: Row) => string | null; mono?: boolean; cell?: (row: Row) => ReactNode },
): Column<Row> {
  const { mono, cell, ...rest } = column
  const drawn = mono
    ? (row: Row) => <span className="font-mono text-label">{column.value(row)}</span>
    : undefined
  return { type: 'text', cell: cell ?? drawn, ...rest }
}

/** The first column: the name, linking to the item. */
export function linkColumn<Row>(
  column: Frame<Row> & {
    value: (row: Row) => string
    to: (row: Row) => string
    before?: (row: Row) => ReactNode
  },
): Column<Row> {
  const { to, before, ...rest } = column
  return {
    type: 'text',
    grow: true,
    width: 180,
    cell: (row) => (
      <>
        {before?.(row)}
        <RowLink to={to(row)}>{column.value(row)}</RowLink>
      </>
    ),
    ...rest,
  }
}

/** Milliseconds since 1970, shown in the user's time format. */
export function timeColumn<Row>(column: Frame<Row> & { value: (row: Row) => number | null }): Column<Row> {
  return {
    type: 'date',
    cell: (row) => <RelativeTime at={column.value(row)} />,
    ...column,
    value: (row) => {
      const at = column.value(row)
      return at === null ? null : new Date(at)
    },
  }
}

export function numberColumn<Row>(
  column: Frame<Row> & { value: (row: Row) => number | null; unit?: string; digits?: number },
): Column<Row> {
  const { digits = 0, ...rest } = column
  const format = new Intl.NumberFormat(undefined, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return {
    type: 'number',
    cell: (row) => {
      const value = column.value(row)
      return value === null ? <span className="text-ink-3">–</span> : format.format(value)
    },
    texts: (row) => {
      const value = column.value(row)
      // 1,024 is also typed as 1024.
      return value === null ? [''] : [format.format(value), value.toFixed(digits)]
    },
    ...rest,
  }
}

export function statusColumn<Row>(
  column: Frame<Row> & { value: (row: Row) => string; tone: (row: Row) => Tone },
): Column<Row> {
  const { tone, ...rest } = column
  return {
    type: 'text',
    width: 136,
    cell: (row) => <Status tone={tone(row)}>{column.value(row)}</Status>,
    ...rest,
  }
}

export function tagsColumn<Row>(
  column: Frame<Row> & { value: (row: Row) => readonly string[] },
): Column<Row> {
  return {
    type: 'text',
    ...column,
    value: (row) => column.value(row).join(', '),
    cell: (row) => (
      <span className="flex gap-1 overflow-hidden">
        {column.value(row).map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </span>
    ),
  }
}
