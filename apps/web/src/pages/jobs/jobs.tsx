import { jobs, type Job } from '@flotilla/contract/jobs/jobs'
import { ListChecks, Plus } from 'lucide-react'
import { useApiList } from '../../api/list'
import { paths } from '../../paths'
import { tableSettings } from '../../session/page-settings'
import { useIsAdmin } from '../../session/user'
import { DataTable } from '../../table/data-table'
import { Async } from '../../ui/feedback/async'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ButtonLink } from '../../ui/button/link'
import type { MenuEntry } from '../../ui/overlay/menu-entry'
import { PageHeader } from '../../ui/layout/page-header'
import { SkeletonRows } from '../../ui/feedback/skeleton'
import { Stale } from '../../ui/feedback/stale'
import { adminJobColumns, jobColumns } from './job-columns'
import { useJobActions } from './use-job-actions'

const idOf = (job: Job) => job.id
/** Highlights a row when its job changes. */
const versionOf = (job: Job) =>
  `${job.updatedAt} ${job.lastSubmission?.id ?? ''} ${job.lastSubmission?.state ?? ''}`
const settings = tableSettings('jobs')

export default function Jobs() {
  const list = useApiList(jobs.list, {})
  const isAdmin = useIsAdmin()
  const { actionsOf, dialogs } = useJobActions()
  const menu = (job: Job): MenuEntry[] => {
    const { submit, resubmit, cancel, edit, clone, remove } = actionsOf(job)
    return [submit, resubmit, cancel, 'separator', edit, clone, 'separator', remove]
  }
  return (
    <>
      <PageHeader
        title="Job Manager"
        meta={list.data && <Stale since={list.dataUpdatedAt} failed={list.isError} staleAfterMs={Infinity} />}
        actions={
          <ButtonLink to={paths.newJob()} variant="primary" icon={Plus}>
            New job
          </ButtonLink>
        }
      />
      <Async
        data={list}
        skeleton={<SkeletonRows rows={6} columns={6} />}
        empty={
          <div className="rounded-card border border-line-1 bg-surface-2">
            <EmptyState
              icon={ListChecks}
              title="No jobs yet"
              action={
                <div className="flex flex-wrap justify-center gap-2">
                  <ButtonLink to={paths.newJob()} variant="primary" icon={Plus}>
                    New job
                  </ButtonLink>
                  <ButtonLink to={paths.newJob()} search={{ template: 'hello' }}>
                    Start from an example
                  </ButtonLink>
                </div>
              }
            >
              A job is a script plus the nodes, cores and time it needs. Save it once and run it on any
              cluster.
            </EmptyState>
          </div>
        }
      >
        {(all) => (
          <DataTable
            label="Jobs"
            columns={isAdmin ? adminJobColumns : jobColumns}
            rows={all}
            rowId={idOf}
            rowVersion={versionOf}
            rowActions={menu}
            older={list.older}
            settings={settings}
            initialSort={{ column: 'updatedAt', descending: true }}
          />
        )}
      </Async>
      {dialogs}
    </>
  )
}
