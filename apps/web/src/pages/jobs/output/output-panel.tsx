import { jobs, type Output, type Submission } from '@flotilla/contract/jobs/jobs'
import { messages } from '@flotilla/contract/messages'
import { useQueryClient } from '@tanstack/react-query'
import { FileText } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { useServerResponds } from '../../../api/server-responding'
import { useSearchParam, useSetSearch } from '../../../paths'
import { useIsAdmin } from '../../../session/user'
import { isOver } from '../../../submit/is-over'
import { Async } from '../../../ui/feedback/async'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { sizeText } from '../../../ui/text/size-text'
import { Tabs } from '../../../ui/layout/tabs'
import { useTicking } from '../../../ui/text/use-now'
import { noOutputText } from '../submission-text'
import { useChosenTask } from '../tasks/task-strip'
import { isTaskFile, taskFile } from '../tasks/tasks'
import { OutputView } from './output-view'

/** The interval at which a running job's files are polled, because new files cause no event. */
const POLL_EVERY_MS = 1000

/** The output of one submission, with a tab for each file. */
export function OutputPanel({ submission }: { submission: Submission }) {
  const outputs = useApiQuery(jobs.outputs, { id: submission.jobId })
  const [deleting, setDeleting] = useState(false)
  const own = mainFirst(outputs.data?.filter((output) => output.submission === submission.id) ?? [])
  // If the server does not respond, the general retry applies instead.
  const serverResponds = useServerResponds()
  const expected = useTicking((now) => noOutputText(submission, now))
  usePolling(serverResponds && outputs.data !== undefined && own.length === 0 && !isOver(submission.state))
  return (
    <>
      <Async
        data={outputs}
        skeleton={
          <div className="p-4">
            <SkeletonText lines={6} />
          </div>
        }
        isEmpty={() => own.length === 0}
        empty={
          isOver(submission.state) ? (
            <EmptyState icon={FileText} title="No output">
              This submission wrote no output, its output was deleted, or you no longer have access to{' '}
              {submission.cluster.name}.
            </EmptyState>
          ) : (
            <EmptyState icon={FileText} title="No output yet">
              {expected}
            </EmptyState>
          )
        }
      >
        {() => <FileTabs submission={submission} files={own} onDelete={() => setDeleting(true)} />}
      </Async>
      {deleting && <DeleteOutput submission={submission} files={own} onClose={() => setDeleting(false)} />}
    </>
  )
}

/** The job's own output comes before the files it created. */
const mainFirst = (files: Output[]): Output[] => {
  const isMain = ({ file }: Output) => file.startsWith('output')
  return [...files.filter(isMain), ...files.filter((file) => !isMain(file))]
}

function usePolling(wanted: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!wanted) return
    const timer = setInterval(
      () => void client.invalidateQueries({ queryKey: [jobs.outputs.path] }),
      POLL_EVERY_MS,
    )
    return () => clearInterval(timer)
  }, [client, wanted])
}

/** For an array, the output of the chosen task and other files that its tasks wrote. */
function filesOf(files: Output[], task: number | null): Output[] {
  const isShown = ({ file }: Output) => !isTaskFile(file) || file === taskFile(task ?? 0)
  return task === null ? files : mainFirst(files.filter(isShown))
}

function FileTabs({
  submission,
  files: all,
  onDelete,
}: {
  submission: Submission
  files: Output[]
  onDelete: () => void
}) {
  const chosen = useSearchParam('file')
  const setSearch = useSetSearch()
  const view = (file: string) => (
    <OutputView key={`${submission.id} ${file}`} submission={submission} file={file} onDelete={onDelete} />
  )
  const task = useChosenTask(submission)
  const files = filesOf(all, task)
  const [only] = files
  if (!only)
    return (
      <EmptyState icon={FileText} title="No output yet">
        {`Task ${task} has written nothing.`}
      </EmptyState>
    )
  if (files.length === 1) return view(only.file)
  return (
    <Tabs
      label="Output files"
      value={chosen}
      onChange={(file) => setSearch({ file })}
      tabs={files.map(({ file }) => ({ id: file, label: file, content: view(file) }))}
      className="[&>[role=tablist]]:px-2 [&>[role=tabpanel]]:pt-0"
    />
  )
}

interface DeleteProps {
  submission: Submission
  files: Output[]
  onClose: () => void
}

function DeleteOutput({ submission, files, onClose }: DeleteProps) {
  const isAdmin = useIsAdmin()
  const remove = useApiMutation(jobs.deleteOutput, {
    success: messages.fileDeleted,
    invalidates: [jobs.outputs],
    admin: isAdmin,
    onSuccess: onClose,
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Delete this output?"
      confirmLabel="Delete output"
      onConfirm={() =>
        remove
          .mutateAsync({ id: submission.jobId, body: { jobs: [submission.id] } })
          // The ERROR dialog shows the reason. This dialog stays open.
          .catch(() => undefined)
      }
    >
      <p>
        Everything this submission wrote on {submission.cluster.name} will be permanently deleted. The
        submission stays in the history.
      </p>
      <ul className="max-h-40 list-disc overflow-y-auto pl-4">
        {files.map(({ file, size }) => (
          <li key={file}>
            <span className="font-mono text-label text-ink-1">{file}</span> {sizeText(size)}
          </li>
        ))}
      </ul>
      <p role="status">{remove.isPending ? messages.deletingFile : ''}</p>
    </ConfirmDialog>
  )
}
