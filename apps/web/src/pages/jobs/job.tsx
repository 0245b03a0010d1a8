import { jobs, type Job as JobType, type Submission } from '@flotilla/contract/jobs/jobs'
import { Copy, Pencil, Play, RotateCw, Square, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { useApiList } from '../../api/list'
import { useApiQuery } from '../../api/query'
import { paths, useGo, usePathParam, useSearchParam } from '../../paths'
import { useIsAdmin } from '../../session/user'
import { DataTable } from '../../table/data-table'
import type { OlderRows } from '../../table/show-older'
import { isOver } from '../../submit/is-over'
import { Async } from '../../ui/feedback/async'
import { Button } from '../../ui/button/button'
import { Card } from '../../ui/layout/card'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ButtonLink } from '../../ui/button/link'
import { Menu } from '../../ui/overlay/menu'
import { PageHeader } from '../../ui/layout/page-header'
import { RelativeTime } from '../../ui/text/relative-time'
import { SkeletonRows, SkeletonText } from '../../ui/feedback/skeleton'
import { stateTone, stateLabel } from '../../submit/submission-state'
import { Status } from '../../ui/status/status'
import { useTicking } from '../../ui/text/use-now'
import { isNotFound, JobNotFound } from './job-not-found'
import { OutputPanel } from './output/output-panel'
import { nodesText, walltimeText } from './resources'
import { JobScript } from './job-script'
import { submissionColumns } from './submission-columns'
import { SubmissionFacts } from './submission-facts'
import { durationText, reasonOf } from './submission-text'
import { TaskStrip } from './tasks/task-strip'
import { useJobActions } from './use-job-actions'

export default function Job() {
  const id = usePathParam('id') ?? ''
  const job = useApiQuery(jobs.view, { id })
  if (isNotFound(job.error)) return <JobNotFound />
  return (
    <>
      {!job.data && <PageHeader title="Job" />}
      <Async data={job} skeleton={<SkeletonText lines={8} />}>
        {(found) => <Found job={found} />}
      </Async>
    </>
  )
}

/** How long an active submission has been in its state, or how long ago a finished one ended. */
function Since({ submission }: { submission: Submission }) {
  const { state, submittedAt, startedAt, endedAt } = submission
  const since = startedAt ?? submittedAt
  const lasting = useTicking((now) => `for ${durationText(now - since)}`)
  return isOver(state) ? <RelativeTime at={endedAt ?? since} /> : lasting
}

function Found({ job }: { job: JobType }) {
  const go = useGo()
  const isAdmin = useIsAdmin()
  const submissions = useApiList(jobs.submissions, { id: job.id })
  const { actionsOf, dialogs } = useJobActions({ onDeleted: () => go(paths.jobs()) })
  const { submit, resubmit, cancel, purge, remove } = actionsOf(job)
  const chosen = useSearchParam('submission')
  const shown = submissions.data?.find(({ id }) => id === chosen) ?? submissions.data?.[0]
  const last = job.lastSubmission
  const onCluster = last !== null && !isOver(last.state)
  return (
    <>
      <PageHeader
        title={job.name}
        meta={
          last ? (
            <Status tone={stateTone(last.state)} detail={<Since submission={last} />}>
              {stateLabel(last.state)}
            </Status>
          ) : (
            <Status tone="gray">Never submitted</Status>
          )
        }
        description={
          <>
            {job.description && <span className="block whitespace-pre-line">{job.description}</span>}
            <span className="text-ink-3">
              {nodesText(job.data)} · {walltimeText(job.data.walltime)}
              {job.data.array && ` · array ${job.data.array}`}
              {isAdmin && ` · ${job.owner}`}
            </span>
          </>
        }
        actions={
          <>
            {onCluster && (
              <Button icon={Square} onClick={cancel.onSelect} disabledReason={cancel.disabledReason}>
                Cancel job
              </Button>
            )}
            {purge && (
              <Button icon={Trash2} onClick={purge.onSelect}>
                Purge job
              </Button>
            )}
            <ButtonLink to={paths.editJob(job.id)} icon={Pencil}>
              Edit
            </ButtonLink>
            <Button variant="primary" icon={Play} onClick={submit.onSelect}>
              Submit
            </Button>
            <Menu
              label="More actions"
              items={[
                { ...resubmit, icon: RotateCw },
                { label: 'Duplicate', icon: Copy, onSelect: () => go(paths.newJob(), { clone: job.id }) },
                'separator',
                remove,
              ]}
            />
          </>
        }
      />
      <Async
        data={submissions}
        skeleton={<SkeletonRows rows={3} columns={7} />}
        empty={
          <div className="flex flex-col gap-4">
            <Card>
              <EmptyState
                icon={Play}
                title="Never submitted"
                action={
                  <Button variant="primary" icon={Play} onClick={submit.onSelect}>
                    Submit
                  </Button>
                }
              >
                Submissions and their output appear here.
              </EmptyState>
            </Card>
            <JobScript data={job.data} submission={undefined} />
          </div>
        }
      >
        {(all) => (
          <div className="flex flex-col gap-4">
            {shown && <Shown submission={shown} />}
            <JobScript data={job.data} submission={shown} />
            <History all={all} older={submissions.older} shown={shown?.id} />
          </div>
        )}
      </Async>
      {dialogs}
    </>
  )
}

function Shown({ submission }: { submission: Submission }) {
  return (
    <Card flush title="Output" description={<SubmissionFacts submission={submission} />}>
      {submission.data.array !== '' && <TaskStrip submission={submission} />}
      <div className="border-t border-line-1">
        <OutputPanel key={submission.id} submission={submission} />
      </div>
    </Card>
  )
}

const idOf = (submission: Submission) => submission.id
const versionOf = (submission: Submission) => submission.state
/** The table has a filter from this number of rows. */
const FILTER_FROM_ROWS = 8

interface HistoryProps {
  all: Submission[]
  older: OlderRows | null
  shown: string | undefined
}

function History({ all, older, shown }: HistoryProps) {
  const reasons = all.some((one) => reasonOf(one) !== null)
  const columns = useMemo(() => submissionColumns(shown, reasons), [shown, reasons])
  return (
    <section aria-labelledby="history">
      <h2 id="history" className="mb-3 text-section font-semibold">
        History
      </h2>
      <DataTable
        label="Submissions"
        urlKey="history"
        columns={columns}
        rows={all}
        rowId={idOf}
        rowVersion={versionOf}
        older={older}
        filter={all.length >= FILTER_FROM_ROWS}
        maxHeight="24rem"
      />
    </section>
  )
}
