import { Columns3 } from 'lucide-react'
import { IconButton } from '../../ui/button/button'
import { Menu } from '../../ui/overlay/menu'
import type { Column } from '../column'
import type { HiddenColumns } from './table-state'

/** With fewer columns, there is nothing to choose. */
const LEAST = 4

/** The columns that the user wants to see; the first names the row and stays. */
export const visibleColumns = <Row,>(
  columns: readonly Column<Row>[],
  hidden: HiddenColumns,
): readonly Column<Row>[] =>
  hidden.size === 0 ? columns : columns.filter(({ id }, at) => at === 0 || !hidden.has(id))

interface Props {
  columns: readonly Column<never>[]
  hidden: HiddenColumns
  onChange: (hidden: HiddenColumns) => void
}

/** Shows and hides columns; the choice is remembered for this user and page. */
export function ColumnChooser({ columns, hidden, onChange }: Props) {
  if (columns.length < LEAST) return null
  const isHidden = ({ id }: Column<never>) => hidden.has(id)
  return (
    <Menu
      label="Columns"
      trigger={<IconButton label="Columns" icon={Columns3} />}
      items={[
        ...columns.slice(1).map((column) => ({
          label: column.header,
          checked: !isHidden(column),
          onSelect: () => {
            const next = new Set(hidden)
            if (!next.delete(column.id)) next.add(column.id)
            onChange(next)
          },
        })),
        'separator',
        {
          label: 'Show all columns',
          disabledReason: columns.some(isHidden) ? null : 'All are shown',
          onSelect: () => onChange(new Set()),
        },
      ]}
    />
  )
}
