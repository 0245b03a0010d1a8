import type { ReactNode } from 'react'

/** A cell's value, apart from how it is rendered: used for sorting, filtering and display. */
export type Value = string | number | Date | null

/** A duration is in seconds and a size in bytes: shown and typed with units. */
type ColumnType = 'text' | 'number' | 'date' | 'duration' | 'size'

export interface Column<Row> {
  id: string
  header: string
  type: ColumnType
  value: (row: Row) => Value
  /** How it is rendered; plain text by default. */
  cell?: (row: Row) => ReactNode
  /** What the cell shows, in each way a user may type it into the filter; the value's own text by default. */
  texts?: (row: Row) => readonly string[]
  /** Shown in the header, so that the cells contain bare numbers. */
  unit?: string
  align?: 'left' | 'right'
  /** In px; the minimum when the column grows. */
  width?: number
  /** The minimum width in px, used when even the columns that always stay do not fit, as on a phone. */
  least?: number | undefined
  /** Contains a time next to other text: wider when times are shown as full dates. */
  holdsTime?: boolean
  /** Shares the remaining space. Text columns without a width do. */
  grow?: boolean
  /** 1 is always shown, 3 is hidden first on narrow screens. */
  priority?: 1 | 2 | 3
  sortable?: boolean
}

const defaultWidth: Record<ColumnType, number> = {
  text: 160,
  number: 96,
  date: 128,
  duration: 108,
  size: 96,
}

export const columnWidth = (column: Column<never>): number => column.width ?? defaultWidth[column.type]

export const columnGrows = (column: Column<never>): boolean =>
  column.grow ?? (column.type === 'text' && column.width === undefined)

export const alignsRight = (column: Column<never>): boolean =>
  (column.align ?? (column.type === 'text' || column.type === 'date' ? 'left' : 'right')) === 'right'

const DATE_WIDTH = 196
const DATE_MORE = 96

/** The same columns with room for full dates, for users who chose absolute times. */
export const widenTimes = <Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] =>
  columns.map((column) => {
    const width = columnWidth(column)
    if (column.holdsTime) return { ...column, width: width + DATE_MORE, least: undefined }
    return column.type === 'date'
      ? { ...column, width: Math.max(width, DATE_WIDTH), least: undefined }
      : column
  })

/**
 * The columns that fit: the least important are dropped first, from the right; priority 1 stays, at its minimum width,
 * even if the table must scroll.
 */
export function fitColumns<Row>(columns: readonly Column<Row>[], room: number): readonly Column<Row>[] {
  let kept = columns
  for (const priority of [3, 2]) {
    while (kept.reduce((sum, column) => sum + columnWidth(column), 0) > room) {
      const last = kept.findLast((column) => column.priority === priority)
      if (!last) break
      kept = kept.filter((column) => column !== last)
    }
  }
  const missing = kept.reduce((sum, column) => sum + columnWidth(column), 0) - room
  return missing > 0 && Number.isFinite(missing) ? narrowed(kept, missing) : kept
}

/** Each column gives up the same share of its spare width. */
function narrowed<Row>(columns: readonly Column<Row>[], missing: number): readonly Column<Row>[] {
  const spare = (column: Column<Row>) => columnWidth(column) - (column.least ?? columnWidth(column))
  const all = columns.reduce((sum, column) => sum + spare(column), 0)
  if (all <= 0) return columns
  const share = Math.min(1, missing / all)
  return columns.map((column) => ({
    ...column,
    width: Math.floor(columnWidth(column) - spare(column) * share),
    // A column without a width took the remaining space, and still does.
    grow: columnGrows(column),
  }))
}
