import { jobs, type Job, type Output } from '@flotilla/contract/jobs/jobs'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { Download, Eye, FileText, ListChecks, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { download } from '../../api/download'
import { showError } from '../../api/errors'
import { useApiMutation, useApiQuery } from '../../api/query'
import { paths, useGo } from '../../paths'
import { useIsAdmin } from '../../session/user'
import { isOver } from '../../submit/is-over'
import { stateTone, stateLabel } from '../../submit/submission-state'
import type { Column } from '../../table/column'
import { statusColumn, textColumn, timeColumn } from '../../table/columns'
import { DataTable } from '../../table/data-table'
import { Async } from '../../ui/feedback/async'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { EmptyState } from '../../ui/feedback/empty-state'
import { Glyph } from '../../ui/status/icon'
import { ButtonLink, RowLink } from '../../ui/button/link'
import { SkeletonRows } from '../../ui/feedback/skeleton'
import { sizeText } from '../../ui/text/size-text'
import { OUTPUTS, searchOf } from './file-search'

const jobColumns: readonly Column<Job>[] = [
  {
    id: 'name',
    header: 'Job',
    type: 'text',
    width: 180,
    grow: true,
    priority: 1,
    value: (job) => job.name,
    cell: (job) => (
      <RowLink to={paths.files()} search={searchOf({ area: OUTPUTS, path: job.id, file: undefined })}>
        {job.name}
      </RowLink>
    ),
  },
  textColumn({ id: 'owner', header: 'Owner', value: (job) => job.owner, width: 140, priority: 2 }),
  timeColumn({
    id: 'submittedAt',
    header: 'Last submitted',
    value: (job) => job.lastSubmission?.submittedAt ?? null,
    priority: 1,
  }),
]
const idOf = (job: Job) => job.id

/** The jobs that were submitted, each shown as a folder of its output. */
export function OutputJobs() {
  const list = useApiQuery(jobs.list, { query: { limit: PAGE_SIZE_MAX } })
  const ran = (all: Job[]) => all.filter((job) => job.lastSubmission !== null)
  return (
    <Async
      data={list}
      skeleton={<SkeletonRows rows={6} columns={3} />}
      isEmpty={(all) => ran(all).length === 0}
      empty={
        <div className="rounded-card border border-line-1 bg-surface-2">
          <EmptyState
            icon={ListChecks}
            title="No output yet"
            action={<ButtonLink to={paths.jobs()}>Go to jobs</ButtonLink>}
          >
            Output appears here once you submit a job.
          </EmptyState>
        </div>
      }
    >
      {(all) => <DataTable label="Jobs with output" columns={jobColumns} rows={ran(all)} rowId={idOf} />}
    </Async>
  )
}

const outputId = ({ submission, file }: Output) => `${submission}/${file}`
const columnsOf = (job: string): readonly Column<Output>[] => [
  {
    id: 'file',
    header: 'File',
    type: 'text',
    width: 180,
    grow: true,
    priority: 1,
    value: (output) => output.file,
    cell: ({ submission, file }) => (
      <span className="flex min-w-0 items-center gap-2">
        <Glyph icon={FileText} className="shrink-0 text-ink-3" />
        <RowLink to={paths.job(job)} search={{ submission, file }} className="truncate">
          {file}
        </RowLink>
      </span>
    ),
  },
  {
    id: 'size',
    header: 'Size',
    type: 'size',
    width: 96,
    priority: 1,
    value: (output) => output.size,
    cell: (output) => sizeText(output.size),
  },
  timeColumn({ id: 'modifiedAt', header: 'Modified', value: (output) => output.modifiedAt, priority: 2 }),
  textColumn({
    id: 'cluster',
    header: 'Cluster',
    value: (output) => output.cluster,
    width: 160,
    priority: 3,
  }),
  statusColumn({
    id: 'state',
    header: 'State',
    value: (output) => stateLabel(output.state),
    tone: (output) => stateTone(output.state),
    width: 120,
    priority: 3,
  }),
]

export function JobOutputs({ job }: { job: string }) {
  const go = useGo()
  const admin = useIsAdmin()
  const outputs = useApiQuery(jobs.outputs, { id: job })
  const [deleting, setDeleting] = useState<readonly Output[]>([])
  const remove = useApiMutation(jobs.deleteOutput, {
    success: messages.fileDeleted,
    invalidates: [jobs.outputs],
    admin,
    onSuccess: () => setDeleting([]),
  })
  const running = ({ state }: Output) => !isOver(state)
  const saveAs = ({ submission, file }: Output) =>
    void download(jobs.downloadOutput, { job, submission, file }, `${file.replace(/\.txt$/, '')}.txt`).catch(
      showError,
    )
  const submissions = [...new Set(deleting.map(({ submission }) => submission))]
  const lost = (outputs.data ?? []).filter(({ submission }) => submissions.includes(submission))
  return (
    <>
      <Async
        data={outputs}
        skeleton={<SkeletonRows rows={4} columns={5} />}
        isEmpty={(list) => list === null}
        empty={
          <div className="rounded-card border border-line-1 bg-surface-2">
            <EmptyState icon={FileText} title="No output">
              This job has no output yet, or its output was deleted.
            </EmptyState>
          </div>
        }
      >
        {(list) => (
          <DataTable
            label="Output files"
            columns={columnsOf(job)}
            rows={list ?? []}
            rowId={outputId}
            rowActions={(output) => [
              {
                label: 'View',
                icon: Eye,
                onSelect: () => go(paths.job(job), { submission: output.submission, file: output.file }),
              },
              { label: 'Download as .txt', icon: Download, onSelect: () => saveAs(output) },
              'separator',
              {
                label: 'Delete',
                icon: Trash2,
                disabledReason: running(output) ? 'The job is still running. Cancel it first' : null,
                onSelect: () => setDeleting([output]),
              },
            ]}
          />
        )}
      </Async>
      {deleting.length > 0 && (
        <ConfirmDialog
          open
          onClose={() => setDeleting([])}
          title="Delete this output?"
          confirmLabel="Delete output"
          onConfirm={() =>
            remove.mutateAsync({ id: job, body: { jobs: submissions } }).catch(() => undefined)
          }
        >
          <p>All files of its submission will be permanently deleted:</p>
          <ul className="max-h-40 list-disc overflow-y-auto pl-4">
            {lost.map((output) => (
              <li key={outputId(output)}>
                {output.file} {sizeText(output.size)}
              </li>
            ))}
          </ul>
          <p role="status">{remove.isPending ? messages.deletingFile : ''}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
