import type { ComponentProps, ReactNode } from 'react'
import { Async } from '../ui/feedback/async'
import { SkeletonRows } from '../ui/feedback/skeleton'
import { PageHeader } from '../ui/layout/page-header'
import { DataTable } from './data-table'
import type { DataTableProps } from './data-table'
import type { OlderRows } from './show-older'

type List<Row> = ComponentProps<typeof Async<readonly Row[]>>['data'] & { older: OlderRows | null }
type Table<Row extends object> = Omit<DataTableProps<Row>, 'rows' | 'rowId' | 'older' | 'empty'>

interface ListPageProps<Row extends { id: string }>
  extends Omit<ComponentProps<typeof PageHeader>, 'children'>, Table<Row> {
  list: List<Row>
  /** An EmptyState that says how the first one is created. */
  empty: ReactNode
  /** Between the header and the table, once the rows are there. */
  above?: ReactNode
  /** The dialogs of the rows' actions. */
  children: ReactNode
}

const idOf = ({ id }: { id: string }) => id

/** A page with one list of what the user owns or shares, newest first. */
export function ListPage<Row extends { id: string }>({
  title,
  description,
  meta,
  actions,
  list,
  empty,
  above,
  children,
  ...table
}: ListPageProps<Row>) {
  return (
    <>
      <PageHeader title={title} description={description} meta={meta} actions={actions} />
      <Async
        data={list}
        skeleton={<SkeletonRows rows={4} columns={table.columns.length} />}
        empty={<div className="rounded-card border border-line-1 bg-surface-2">{empty}</div>}
      >
        {(rows) => (
          <>
            {above}
            <DataTable {...table} rows={rows} rowId={idOf} older={list.older} />
          </>
        )}
      </Async>
      {children}
    </>
  )
}
