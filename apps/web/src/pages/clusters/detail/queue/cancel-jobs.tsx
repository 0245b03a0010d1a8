import type { QueuedJob } from '@flotilla/contract/clusters/tables'
import { ConfirmDialog } from '../../../../ui/overlay/confirm-dialog'

interface Props {
  /** Whether jobs are removed from the queue without contacting their nodes. */
  purge: boolean
  jobs: readonly QueuedJob[]
  onClose: () => void
  onConfirm: () => Promise<unknown>
}

export function CancelJobs({ purge, jobs, onClose, onConfirm }: Props) {
  const [first] = jobs
  const running = jobs.filter(({ state }) => state === 'running').length
  const runs =
    jobs.length === 1
      ? 'It is running'
      : running === 1
        ? 'One of them is running'
        : `${running} of them are running`
  const what = jobs.length === 1 && first ? `job ${first.id}` : `${jobs.length} jobs`
  const verb = purge ? 'Purge' : 'Cancel'
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`${verb} ${what}?`}
      confirmLabel={jobs.length === 1 ? `${verb} job` : `${verb} ${jobs.length} jobs`}
      keepLabel={running > 0 ? 'Keep running' : 'Keep waiting'}
      onConfirm={() => onConfirm().then(onClose, onClose)}
    >
      <p>
        {running > 0
          ? `${runs}. Unsaved results are lost.`
          : jobs.length === 1
            ? 'It has not started.'
            : 'None of them have started.'}{' '}
        Output files are kept.
      </p>
      {purge && (
        <p>
          They are removed from the queue without contacting their nodes. If a node is still running, its job
          may continue unnoticed.
        </p>
      )}
      {jobs.length === 1 && first && <p className="font-mono text-label">{first.name}</p>}
    </ConfirmDialog>
  )
}
