import type { Column } from '../column'
import { textKey, valueText } from '../value-text'

export interface Sort {
  column: string
  descending: boolean
}

function sortKey<Row>(column: Column<Row>, row: Row): string | number | null {
  const value = column.value(row)
  if (value === null || value === '') return null
  return column.type === 'text' ? textKey(valueText(value)) : Number(value)
}

/** Stable; rows without a value come last in either direction. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | null,
): readonly Row[] {
  const column = columns.find((one) => one.id === sort?.column)
  if (!sort || !column) return rows
  const turn = sort.descending ? -1 : 1
  const keyed = rows.map((row) => ({ row, key: sortKey(column, row) }))
  keyed.sort((one, other) => {
    if (one.key === other.key) return 0
    if (one.key === null) return 1
    if (other.key === null) return -1
    return one.key < other.key ? -turn : turn
  })
  return keyed.map(({ row }) => row)
}

/** First click ascending, second descending, third back to the original order. */
export function nextSort(now: Sort | null, column: string): Sort | null {
  if (now?.column !== column) return { column, descending: false }
  return now.descending ? null : { column, descending: true }
}
