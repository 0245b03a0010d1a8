import { activities, type Activity } from '@flotilla/contract/people/activities'
import { ScrollText } from 'lucide-react'
import { useApiList } from '../../api/list'
import { tableSettings } from '../../session/page-settings'
import type { Column } from '../../table/column'
import { textColumn, timeColumn } from '../../table/columns'
import { DataTable } from '../../table/data-table'
import { Async } from '../../ui/async'
import { EmptyState } from '../../ui/empty-state'
import { SkeletonRows } from '../../ui/skeleton'

const columns: readonly Column<Activity>[] = [
  timeColumn({
    id: 'time',
    header: 'When',
    value: (activity) => activity.time,
    width: 104,
    least: 90,
    priority: 1,
  }),
  textColumn({
    id: 'actor',
    header: 'Who',
    value: (activity) => activity.actor ?? 'System',
    width: 120,
    least: 76,
    priority: 1,
  }),
  textColumn({
    id: 'action',
    header: 'Action',
    value: (activity) => activity.action,
    width: 214,
    least: 186,
    priority: 1,
  }),
  textColumn({
    id: 'subject',
    header: 'Subject',
    value: (activity) => activity.subject,
    width: 190,
    priority: 2,
  }),
  textColumn({
    id: 'detail',
    header: 'Detail',
    value: (activity) => activity.detail,
    width: 300,
    grow: true,
    priority: 3,
  }),
  textColumn({
    id: 'requestId',
    header: 'Request',
    value: (activity) => activity.requestId,
    mono: true,
    width: 194,
    priority: 3,
  }),
]

const idOf = (activity: Activity) => activity.id
const settings = tableSettings('audit')

export function AuditTab() {
  const trail = useApiList(activities.list, {})
  return (
    <Async
      data={trail}
      skeleton={<SkeletonRows rows={8} columns={5} />}
      empty={
        <EmptyState icon={ScrollText} title="No activity yet">
          Logins, changes, private key downloads and denied requests are recorded here, with who and when.
        </EmptyState>
      }
    >
      {(rows) => (
        <DataTable
          label="Audit trail"
          columns={columns}
          rows={rows}
          rowId={idOf}
          older={trail.older}
          settings={settings}
          initialSort={{ column: 'time', descending: true }}
        />
      )}
    </Async>
  )
}
