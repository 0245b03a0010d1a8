import { clusters } from '@flotilla/contract/clusters/clusters'
import { jobs, type Job, type Submission } from '@flotilla/contract/jobs/jobs'
import { messages } from '@flotilla/contract/messages'
import { Copy, Pencil, Play, RotateCw, Square, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useApiMutation } from '../../api/query'
import { paths, useGo } from '../../paths'
import { randomId } from '../../random-id'
import { useIsAdmin } from '../../session/user'
import { SubmitDialog } from '../../submit/submit-dialog'
import { notices } from '../../ui/feedback/notices-store'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import type { MenuEntry } from '../../ui/overlay/menu-entry'
import { cancelBlockedJob, deleteBlockedJob } from './job-rules'

type OpenDialog = { what: 'submit' | 'delete' | 'cancel' | 'purge'; job: Job } | null
type Action = Extract<MenuEntry, { onSelect: () => void }>
type JobActions = Record<'submit' | 'resubmit' | 'cancel' | 'edit' | 'clone' | 'remove', Action> & {
  /** For admins, if the node of a job that is being canceled does not respond. */
  purge: Action | null
}

const touched = [
  jobs.list,
  jobs.view,
  jobs.submissions,
  jobs.submission,
  jobs.outputs,
  clusters.list,
  clusters.queue,
]

/** The actions of a job, for list rows and for its page. Render `dialogs` to show their dialogs. */
export function useJobActions({ onDeleted }: { onDeleted?: () => void } = {}): {
  actionsOf: (job: Job) => JobActions
  dialogs: ReactNode
} {
  const go = useGo()
  const admin = useIsAdmin()
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null)
  const close = () => setOpenDialog(null)
  const shown = ({ jobId, id }: Submission) => go(paths.job(jobId), { submission: id })
  const resubmit = useApiMutation(jobs.submit, {
    success: messages.jobSubmitted,
    invalidates: touched,
    onSuccess: shown,
  })
  const cancel = useApiMutation(jobs.cancel, {
    invalidates: touched,
    admin,
    onSuccess: ({ retry }) => {
      if (retry) notices.info(messages.jobCancelWaits)
      else notices.success(messages.jobCanceled)
      close()
    },
  })
  const remove = useApiMutation(jobs.remove, {
    success: messages.jobDeleted,
    invalidates: [jobs.list],
    admin,
    onSuccess: () => {
      close()
      onDeleted?.()
    },
  })

  const actionsOf = (job: Job): JobActions => {
    const last = job.lastSubmission
    return {
      submit: { label: 'Submit', icon: Play, onSelect: () => setOpenDialog({ what: 'submit', job }) },
      resubmit: {
        label: 'Resubmit',
        icon: RotateCw,
        disabledReason: !last ? 'Never submitted' : resubmit.isPending ? 'It is being submitted' : null,
        onSelect: () => {
          if (!last) return
          const { cluster, runAsAdmin } = last
          resubmit.mutate({
            body: {
              id: job.id,
              cluster: cluster.id,
              runAsAdmin: runAsAdmin && admin,
              seen: job.updatedAt,
              key: randomId(),
            },
          })
        },
      },
      cancel: {
        label: 'Cancel',
        icon: Square,
        disabledReason: cancelBlockedJob(job),
        onSelect: () => setOpenDialog({ what: 'cancel', job }),
      },
      purge:
        admin && last?.retry?.of === 'cancel'
          ? { label: 'Purge', icon: Trash2, onSelect: () => setOpenDialog({ what: 'purge', job }) }
          : null,
      edit: { label: 'Edit', icon: Pencil, onSelect: () => go(paths.editJob(job.id)) },
      clone: { label: 'Duplicate', icon: Copy, onSelect: () => go(paths.newJob(), { clone: job.id }) },
      remove: {
        label: 'Delete',
        icon: Trash2,
        disabledReason: deleteBlockedJob(job),
        onSelect: () => setOpenDialog({ what: 'delete', job }),
      },
    }
  }

  const job = openDialog?.job
  const last = job?.lastSubmission
  const dialogs = job && (
    <>
      {openDialog.what === 'submit' && (
        <SubmitDialog
          job={job}
          onClose={close}
          onSubmitted={(submission) => {
            close()
            shown(submission)
          }}
        />
      )}
      {openDialog.what === 'cancel' && last && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Cancel ${job.name}?`}
          confirmLabel="Cancel job"
          keepLabel="Keep running"
          onConfirm={() =>
            // The dialog also closes after an error, because the job may have ended in the meantime.
            cancel.mutateAsync({ body: { job: last.id, cluster: last.cluster.id } }).catch(close)
          }
        >
          <p>
            {last.state === 'submitting'
              ? `${last.cluster.name} has not received it yet, and will not.`
              : `It ends on ${last.cluster.name} immediately. Output written so far is kept. Unsaved results are lost.`}
          </p>
        </ConfirmDialog>
      )}
      {openDialog.what === 'purge' && last && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Purge ${job.name}?`}
          confirmLabel="Purge job"
          onConfirm={() =>
            cancel
              .mutateAsync({ body: { job: last.id, cluster: last.cluster.id, purge: true } })
              .catch(() => undefined)
          }
        >
          <p>
            It is removed from the queue of {last.cluster.name} without contacting its node. If the node is
            still running, the job may continue there unnoticed. The cluster’s admin account must be a manager
            of the resource manager.
          </p>
        </ConfirmDialog>
      )}
      {openDialog.what === 'delete' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Delete ${job.name}?`}
          confirmLabel="Delete job"
          onConfirm={() => remove.mutateAsync({ id: job.id }).catch(() => undefined)}
        >
          <p>
            Its script and submission history are permanently deleted. Output files on the clusters are kept.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
  return { actionsOf, dialogs }
}
