import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster, ClusterActivity } from '@flotilla/contract/clusters/entity'
import { actionText } from '@flotilla/contract/people/audit'
import { History } from 'lucide-react'
import type * as z from 'zod/mini'
import { useApiList } from '../../../../api/list'
import type { Column } from '../../../../table/column'
import { textColumn, timeColumn } from '../../../../table/columns'
import { DataTable } from '../../../../table/data-table'
import { Async } from '../../../../ui/feedback/async'
import { EmptyState } from '../../../../ui/feedback/empty-state'
import { SkeletonRows } from '../../../../ui/feedback/skeleton'

type Activity = z.infer<typeof ClusterActivity>

const columns: readonly Column<Activity>[] = [
  timeColumn({ id: 'time', header: 'When', value: ({ time }) => time, width: 128, least: 92, priority: 1 }),
  textColumn({
    id: 'actor',
    header: 'Who',
    value: ({ actor }) => actor ?? 'System',
    width: 140,
    least: 96,
    priority: 1,
  }),
  textColumn({
    id: 'action',
    header: 'Action',
    value: ({ action }) => actionText(action),
    width: 180,
    least: 150,
    priority: 1,
  }),
  textColumn({
    id: 'detail',
    header: 'Detail',
    value: ({ detail }) => detail,
    width: 160,
    grow: true,
    priority: 2,
  }),
]
const idOf = ({ time, action, detail }: Activity) => `${time} ${action} ${detail}`

export function ActivitiesTab({ cluster }: { cluster: Cluster }) {
  const activities = useApiList(clusters.activities, { id: cluster.id })
  return (
    <Async
      data={activities}
      skeleton={<SkeletonRows rows={6} columns={4} />}
      empty={
        <div className="rounded-card border border-line-1 bg-surface-2">
          {cluster.forEveryone && !cluster.mine ? (
            <EmptyState icon={History} title="You have no activity here">
              Your actions on this cluster are recorded here. Only admins see what others do.
            </EmptyState>
          ) : (
            <EmptyState icon={History} title="No activity yet">
              Deployments, changes and terminal sessions are recorded here, with who started them.
            </EmptyState>
          )}
        </div>
      }
    >
      {(rows) => (
        <DataTable label="Activities" columns={columns} rows={rows} rowId={idOf} older={activities.older} />
      )}
    </Async>
  )
}
