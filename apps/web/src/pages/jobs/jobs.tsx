import { jobs, type Job } from '@flotilla/contract/jobs/jobs'
import { ListChecks, Plus } from 'lucide-react'
import { useApiList } from '../../api/list'
import { paths, useSearchParam, useSetSearch } from '../../paths'
import { tableSettings } from '../../session/page-settings'
import { useIsAdmin } from '../../session/user'
import { ListPage } from '../../table/list-page'
import { StateChips } from '../../table/state/state-chips'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ButtonLink } from '../../ui/button/link'
import type { MenuEntry } from '../../ui/overlay/menu-entry'
import { Stale } from '../../ui/feedback/stale'
import { adminJobColumns, jobColumns } from './job-columns'
import { groupCounts, inGroup } from './list/state-groups'
import { useBulkJobs } from './list/use-bulk-jobs'
import { useJobActions } from './use-job-actions'

/** A row is highlighted when this version of its job changes. */
const versionOf = (job: Job) =>
  `${job.updatedAt} ${job.lastSubmission?.id ?? ''} ${job.lastSubmission?.state ?? ''}`
const settings = tableSettings('jobs')

export default function Jobs() {
  const list = useApiList(jobs.list, {})
  const isAdmin = useIsAdmin()
  const { actionsOf, dialogs } = useJobActions()
  const bulk = useBulkJobs()
  const state = useSearchParam('state')
  const setSearch = useSetSearch()
  const showState = (chosen: string | undefined) => setSearch({ state: chosen })
  const menu = (job: Job): MenuEntry[] => {
    const { submit, resubmit, cancel, edit, clone, remove } = actionsOf(job)
    return [submit, resubmit, cancel, 'separator', edit, clone, 'separator', remove]
  }
  const newJob = (
    <ButtonLink to={paths.newJob()} variant="primary" icon={Plus}>
      New job
    </ButtonLink>
  )
  return (
    <ListPage
      title="Job Manager"
      meta={list.data && <Stale since={list.dataUpdatedAt} failed={list.isError} staleAfterMs={Infinity} />}
      actions={newJob}
      list={list}
      empty={
        <EmptyState
          icon={ListChecks}
          title="No jobs yet"
          action={
            <div className="flex flex-wrap justify-center gap-2">
              {newJob}
              <ButtonLink to={paths.newJob()} search={{ template: 'hello' }}>
                Start from an example
              </ButtonLink>
            </div>
          }
        >
          A job is a script plus the nodes, cores and time it needs. Save it once and run it on any cluster.
        </EmptyState>
      }
      label="Jobs"
      columns={isAdmin ? adminJobColumns : jobColumns}
      rowVersion={versionOf}
      rowActions={menu}
      bulkActions={bulk.bulkOf}
      above={
        <StateChips
          label="jobs"
          total={list.data?.length ?? 0}
          more={list.older !== null}
          counts={groupCounts(list.data ?? [], state)}
          value={state}
          onChange={showState}
        />
      }
      only={{ keep: inGroup(state), clear: () => showState(undefined) }}
      settings={settings}
      initialSort={{ column: 'submittedAt', descending: true }}
    >
      {dialogs}
      {bulk.dialogs}
    </ListPage>
  )
}
