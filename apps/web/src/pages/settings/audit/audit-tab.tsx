import { activities, type Activity } from '@flotilla/contract/people/activities'
import { actionText } from '@flotilla/contract/people/audit'
import { FileText, ScrollText, SearchX } from 'lucide-react'
import { useMemo, useState } from 'react'
import { download } from '../../../api/download'
import { showError } from '../../../api/errors'
import { useApiList } from '../../../api/list'
import { tableSettings } from '../../../session/page-settings'
import type { Column } from '../../../table/column'
import { textColumn, timeColumn } from '../../../table/columns'
import { DataTable } from '../../../table/data-table'
import { ExportMenu, type ExportFormat } from '../../../table/export-menu'
import { Async } from '../../../ui/feedback/async'
import { Button } from '../../../ui/button/button'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { SkeletonRows } from '../../../ui/feedback/skeleton'
import { AuditFilterBar } from './filter-bar'
import { RecordDialog } from './record-dialog'
import { useActivityFilter } from './use-filter'
import { Verification } from './verification'

const columnsFor = (open: (activity: Activity) => void): readonly Column<Activity>[] => [
  timeColumn({
    id: 'time',
    header: 'When',
    value: (activity) => activity.time,
    width: 100,
    least: 90,
    priority: 1,
  }),
  textColumn({
    id: 'actor',
    header: 'Who',
    value: (activity) => activity.actor ?? 'System',
    width: 100,
    least: 88,
    priority: 1,
  }),
  textColumn({
    id: 'action',
    header: 'Action',
    value: (activity) => actionText(activity.action),
    cell: (activity) => (
      <button
        type="button"
        className="max-w-full truncate rounded-mark font-medium underline-offset-2 hover:underline"
        onClick={() => open(activity)}
      >
        {actionText(activity.action)}
      </button>
    ),
    width: 192,
    least: 186,
    priority: 1,
  }),
  textColumn({
    id: 'subject',
    header: 'Subject',
    value: (activity) => activity.subject,
    width: 216,
    priority: 2,
  }),
  textColumn({
    id: 'detail',
    header: 'Detail',
    value: (activity) => activity.detail,
    width: 260,
    grow: true,
    priority: 3,
  }),
  textColumn({
    id: 'address',
    header: 'Address',
    value: (activity) => activity.address,
    mono: true,
    width: 140,
    priority: 3,
  }),
]

const idOf = (activity: Activity) => activity.id
const settings = tableSettings('audit')

export function AuditTab() {
  const { filter, isFiltered, set, clear } = useActivityFilter()
  const trail = useApiList(activities.list, { query: filter })
  const [opened, setOpened] = useState<Activity | null>(null)
  const columns = useMemo(() => columnsFor(setOpened), [])
  const save = (format: ExportFormat) => {
    const endpoint = format === 'csv' ? activities.exportCsv : activities.exportJson
    return download(endpoint, { query: filter }, `audit.${format}`).catch(showError)
  }
  return (
    <div className="flex flex-col gap-4">
      <Verification actions={<ExportMenu onExport={save} />} />
      <AuditFilterBar filter={filter} isFiltered={isFiltered} onSet={set} onClear={clear} />
      <Async
        data={trail}
        skeleton={<SkeletonRows rows={8} columns={5} />}
        empty={
          isFiltered ? (
            <EmptyState
              icon={SearchX}
              title="No matches"
              action={<Button onClick={clear}>Clear filter</Button>}
            >
              No record matches every filter. Enter the whole name of a person or subject.
            </EmptyState>
          ) : (
            <EmptyState icon={ScrollText} title="No activity yet">
              Logins, changes, private key downloads and denied requests are recorded here, with who and when.
            </EmptyState>
          )
        }
      >
        {(rows) => (
          <DataTable
            label="Audit trail"
            columns={columns}
            rows={rows}
            rowId={idOf}
            rowActions={(activity) => [
              { label: 'Details', icon: FileText, onSelect: () => setOpened(activity) },
            ]}
            older={trail.older}
            settings={settings}
            initialSort={{ column: 'time', descending: true }}
          />
        )}
      </Async>
      {opened && <RecordDialog activity={opened} onFilter={set} onClose={() => setOpened(null)} />}
    </div>
  )
}
