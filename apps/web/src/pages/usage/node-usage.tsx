import { usages, type NodeJob, type UsagePeriod } from '@flotilla/contract/site/usage'
import { Clock, Timer } from 'lucide-react'
import { callPage } from '../../api/call'
import { useApiList } from '../../api/list'
import { paths } from '../../paths'
import type { Column } from '../../table/column'
import { statusColumn, timeColumn } from '../../table/columns'
import { DataTable } from '../../table/data-table'
import { Async } from '../../ui/feedback/async'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ButtonLink } from '../../ui/button/link'
import { PageHeader } from '../../ui/layout/page-header'
import { SkeletonRows } from '../../ui/feedback/skeleton'
import type { Tone } from '../../ui/status/tone'
import { allPages } from '../../usage/all-pages'
import { RowsExportMenu } from '../../usage/rows-export-menu'
import { jobColumns, jobKey } from '../../usage/job-table'
import { figureColumn, nameColumn } from '../../usage/link-cell'
import { RangePicker } from '../../usage/range-picker'
import { rangeInput, useRange } from '../../usage/range'
import { hoursText, priceText } from '../../usage/usage-text'

const states: Record<UsagePeriod['state'], { label: string; tone: Tone }> = {
  busy: { label: 'Busy', tone: 'blue' },
  idle: { label: 'Idle', tone: 'gray' },
  stopped: { label: 'While stopped', tone: 'amber' },
}
/** The label of a period. A disk is neither busy nor idle, only in use. */
const labelOf = (state: UsagePeriod['state'], kind: string) =>
  state === 'stopped' || kind === 'machine' ? states[state].label : 'In use'

const periodColumns = (kind: string): readonly Column<UsagePeriod>[] => [
  statusColumn({
    id: 'state',
    header: 'State',
    value: ({ state }) => labelOf(state, kind),
    tone: ({ state }) => states[state].tone,
    width: 140,
    least: 84,
    priority: 1,
  }),
  timeColumn({ id: 'from', header: 'From', value: ({ from }) => from, width: 150, least: 92, priority: 1 }),
  timeColumn({ id: 'to', header: 'To', value: ({ to }) => to, width: 150, priority: 2 }),
  figureColumn({
    id: 'hours',
    header: 'Hours',
    value: ({ hours }) => hours,
    text: (value) => hoursText(value ?? 0),
    width: 124,
    least: 76,
    priority: 1,
  }),
  figureColumn({
    id: 'perHour',
    header: 'Price per hour',
    value: ({ perHour }) => perHour,
    text: (value) => priceText(value),
    width: 130,
    priority: 2,
  }),
  figureColumn({
    id: 'price',
    header: 'Price',
    value: ({ price }) => price,
    text: (value) => priceText(value),
    width: 110,
    least: 84,
    priority: 1,
  }),
]
const periodKey = ({ from }: UsagePeriod) => String(from)

interface NodeUsageProps {
  clusterId: string
  kind: string
  name: string
}

/** The activity and cost of a node or disk in a time range, and the jobs that ran on it. */
export function NodeUsageView({ clusterId, kind, name }: NodeUsageProps) {
  const { range, search } = useRange()
  const input = { clusterId, kind, name, ...rangeInput(range) }
  const periods = useApiList(usages.periods, input)
  return (
    <>
      <PageHeader
        title={kind === 'machine' ? `Usage for node ${name}` : `Usage for ${kind} ${name}`}
        description="Hours and prices cover only the selected period."
        actions={
          <>
            <RangePicker />
            <ButtonLink to={paths.accountCluster(clusterId)} search={search}>
              Back to the cluster
            </ButtonLink>
          </>
        }
      />
      <div className="flex flex-col gap-4">
        {kind === 'machine' && <NodeJobs clusterId={clusterId} node={name} />}
        <h2 className="text-section font-semibold">States and prices</h2>
        <Async
          data={periods}
          skeleton={<SkeletonRows rows={4} columns={5} />}
          empty={
            <EmptyState icon={Clock} title={`${name} did not exist in this period`}>
              Each change of its state or price starts a new row.
            </EmptyState>
          }
        >
          {(rows) => (
            <DataTable
              label="States and prices"
              urlKey="periods"
              columns={periodColumns(kind)}
              rows={rows}
              rowId={periodKey}
              older={periods.older}
              initialSort={{ column: 'from', descending: true }}
              toolbar={
                <RowsExportMenu
                  name={`${kind}-${name}`}
                  rows={() => allPages((page) => callPage(usages.periods, { ...input, query: page }, {}))}
                />
              }
            />
          )}
        </Async>
      </div>
    </>
  )
}

function NodeJobs({ clusterId, node }: { clusterId: string; node: string }) {
  const { range, search } = useRange()
  const input = { clusterId, node, ...rangeInput(range) }
  const jobs = useApiList(usages.jobs, input)
  const user = nameColumn<NodeJob>({
    id: 'user',
    header: 'User',
    value: ({ userAccount }) => userAccount,
    link: ({ userAccount }) => ({ to: paths.accountOf(userAccount), search }),
    width: 130,
    least: 70,
    priority: 1,
  })
  const [name, ...others] = jobColumns.filter(({ id }) => id !== 'cluster')
  return (
    <>
      <h2 className="text-section font-semibold">Jobs on this node</h2>
      <Async
        data={jobs}
        skeleton={<SkeletonRows rows={6} columns={6} />}
        empty={
          <EmptyState icon={Timer} title="No jobs ran on this node in this period">
            A job on several nodes appears on each of them, with all of its hours.
          </EmptyState>
        }
      >
        {(rows) => (
          <DataTable
            label="Jobs on this node"
            urlKey="jobs"
            columns={[...(name ? [name] : []), user, ...others]}
            rows={rows}
            rowId={jobKey}
            older={jobs.older}
            initialSort={{ column: 'started', descending: true }}
            toolbar={
              <RowsExportMenu
                name={`jobs-on-${node}`}
                rows={() => allPages((page) => callPage(usages.jobs, { ...input, query: page }, {}))}
              />
            }
          />
        )}
      </Async>
    </>
  )
}
