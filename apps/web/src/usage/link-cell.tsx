import type { Column } from '../table/column'
import { RowLink } from '../ui/button/link'

export type Target = { to: string; search: Record<string, string> }
type Frame<Row> = Pick<Column<Row>, 'id' | 'header'> &
  Partial<Pick<Column<Row>, 'width' | 'least' | 'priority'>>

/** The name of a row, with a link that keeps the range. */
export const nameColumn = <Row,>(
  column: Frame<Row> & { value: (row: Row) => string; link: (row: Row) => Target },
): Column<Row> => {
  const { link, ...rest } = column
  return {
    type: 'text',
    grow: true,
    width: 180,
    cell: (row) => <RowLink {...link(row)}>{column.value(row)}</RowLink>,
    ...rest,
  }
}

/** A number with a link to its parts. */
export const figureColumn = <Row,>(
  column: Frame<Row> & {
    value: (row: Row) => number | null
    text: (value: number | null, row: Row) => string
    link?: (row: Row) => Target
  },
): Column<Row> => {
  const { text, link, ...rest } = column
  return {
    type: 'number',
    texts: (row) => [text(column.value(row), row)],
    cell: (row) => {
      const shown = text(column.value(row), row)
      return link ? (
        <RowLink {...link(row)} className="font-normal">
          {shown}
        </RowLink>
      ) : (
        shown
      )
    },
    ...rest,
  }
}
