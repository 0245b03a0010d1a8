import type { QueuedJob } from '@flotilla/contract/clusters-tables'
import { ConfirmDialog } from '../../../ui/confirm-dialog'

interface Props {
  jobs: readonly QueuedJob[]
  onClose: () => void
  onConfirm: () => Promise<unknown>
}

export function CancelJobs({ jobs, onClose, onConfirm }: Props) {
  const [first] = jobs
  const running = jobs.filter(({ state }) => state === 'running').length
  const what = jobs.length === 1 && first ? `job ${first.id}` : `${jobs.length} jobs`
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Cancel ${what}`}
      confirmLabel={jobs.length === 1 ? 'Cancel job' : `Cancel ${jobs.length} jobs`}
      onConfirm={() => onConfirm().then(onClose, onClose)}
    >
      <p>
        {running > 0
          ? `${running === 1 ? 'One of them runs' : `${running} of them run`} now: the programs are ended, and what they had not written yet is lost.`
          : 'None of them has begun.'}{' '}
        Output files stay.
      </p>
      {jobs.length === 1 && first && <p className="font-mono text-label">{first.name}</p>}
    </ConfirmDialog>
  )
}
