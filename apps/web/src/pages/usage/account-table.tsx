import type { AccountUsage } from '@flotilla/contract/site/usage'
import { Users } from 'lucide-react'
import { paths } from '../../paths'
import { textColumn } from '../../table/columns'
import type { Column } from '../../table/column'
import { DataTable } from '../../table/data-table'
import { EmptyState } from '../../ui/feedback/empty-state'
import { RowsExportMenu } from '../../usage/rows-export-menu'
import { jobFigures } from '../../usage/job-figures'
import { nameColumn } from '../../usage/link-cell'
import { useRange } from '../../usage/range'

type Search = Record<string, string>

function columnsFor(search: Search, cluster?: string): readonly Column<AccountUsage>[] {
  const toAccount = ({ userAccount }: AccountUsage) => ({ to: paths.accountOf(userAccount), search })
  const toJobs = ({ userAccount }: AccountUsage) => ({
    to: paths.accountJobs(userAccount),
    search: cluster === undefined ? search : { ...search, cluster },
  })
  return [
    nameColumn({
      id: 'userAccount',
      header: 'User',
      value: (row) => row.userAccount,
      link: cluster === undefined ? toAccount : toJobs,
      width: 150,
      least: 86,
      priority: 1,
    }),
    textColumn({ id: 'name', header: 'Name', value: ({ name }) => name, width: 150, priority: 3 }),
    ...jobFigures(toJobs),
  ]
}

const idOf = ({ userAccount }: AccountUsage) => userAccount

/** Usage by account, on one cluster or on all. */
export function AccountTable({ rows, cluster }: { rows: readonly AccountUsage[]; cluster?: string }) {
  const { search } = useRange()
  return (
    <DataTable
      label="Users"
      urlKey="users"
      columns={columnsFor(search, cluster)}
      rows={rows}
      rowId={idOf}
      initialSort={{ column: 'coreHours', descending: true }}
      toolbar={<RowsExportMenu name="usage-by-user" rows={() => rows} />}
      empty={
        <EmptyState icon={Users} title="No jobs in this period">
          Everyone whose jobs ran appears here, even if the jobs were not submitted in the console.
        </EmptyState>
      }
    />
  )
}
