import type { Plan, PlannedChange } from '@flotilla/contract/clusters/cloud'
import { useMemo } from 'react'
import type { Column } from '../../../../table/column'
import { textColumn } from '../../../../table/columns'
import { DataTable } from '../../../../table/data-table'
import { Badge } from '../../../../ui/status/badge'
import { Status } from '../../../../ui/status/status'
import { changeLabels, worstFirst } from './plan-text'

const ACTION = 104
const RESOURCE = 200
const DETAIL = 200

const columns: readonly Column<PlannedChange>[] = [
  {
    id: 'action',
    header: 'Action',
    type: 'text',
    width: ACTION,
    priority: 1,
    value: ({ action }) => changeLabels[action].label,
    cell: ({ action }) => (
      <Status tone={changeLabels[action].tone} pulse={false}>
        {changeLabels[action].label}
      </Status>
    ),
  },
  {
    id: 'what',
    header: 'Resource',
    type: 'text',
    width: RESOURCE,
    grow: true,
    priority: 1,
    value: ({ what, dataLoss }) => (dataLoss ? `${what}, data loss` : what),
    cell: ({ what, dataLoss, detail }) => (
      <>
        <span className="flex min-w-0 items-center gap-2 leading-4">
          <span className="truncate first-letter:uppercase" title={what}>
            {what}
          </span>
          {dataLoss && <Badge tone="red">Data loss</Badge>}
        </span>
        {/* Replaces the DETAIL column if the table has no space for ACTION, RESOURCE, DETAIL and the border. */}
        {detail !== '' && (
          <span className="block truncate text-label leading-4 text-ink-3 @min-[506px]:hidden" title={detail}>
            {detail}
          </span>
        )}
      </>
    ),
  },
  textColumn({
    id: 'detail',
    header: 'Changes',
    value: ({ detail }) => detail,
    cell: ({ detail }) => (
      <span className="truncate" title={detail}>
        {detail}
      </span>
    ),
    width: DETAIL,
    grow: true,
    priority: 2,
  }),
  textColumn({
    id: 'address',
    header: 'Address',
    value: ({ address }) => address,
    mono: true,
    width: 280,
    grow: true,
    priority: 3,
  }),
]
const idOf = ({ address, action }: PlannedChange) => `${address} ${action}`

/** The planned changes, with data loss first. */
export function PlanTable({ plan, inDialog = false }: { plan: Plan; inDialog?: boolean }) {
  const rows = useMemo(() => worstFirst(plan.changes), [plan.changes])
  // If everything is new, there is no detail to show.
  const shown = useMemo(
    () => (rows.some(({ detail }) => detail !== '') ? columns : columns.filter(({ id }) => id !== 'detail')),
    [rows],
  )
  return (
    <div className="@container">
      <DataTable
        label="Planned changes"
        columns={shown}
        rows={rows}
        rowId={idOf}
        urlKey="plan"
        filter={!inDialog}
        {...(inDialog && { maxHeight: '18rem' })}
      />
    </div>
  )
}
