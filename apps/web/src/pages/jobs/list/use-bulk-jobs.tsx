import { clusters } from '@flotilla/contract/clusters/clusters'
import { countText } from '@flotilla/contract/count-text'
import { jobs, type Job } from '@flotilla/contract/jobs/jobs'
import { Play, Square, Trash2 } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import { call } from '../../../api/call'
import { useInvalidate } from '../../../api/query'
import { randomId } from '../../../random-id'
import { useIsAdmin } from '../../../session/user'
import { ChooseCluster, type Choice } from '../../../submit/choose-cluster'
import type { BulkAction } from '../../../table/selection/bulk-bar'
import type { BulkContext } from '../../../table/selection/use-bulk-run'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { cancelBlockedJob, deleteBlockedJob } from '../job-rules'

type What = 'submit' | 'cancel' | 'delete'
/** The open dialog, with the selected jobs that allow the action and the number of those that do not. */
type Open = { what: What; allowed: readonly Job[]; skipped: number; bulk: BulkContext } | null

const texts: Record<What, { doing: string; done: (jobs: string) => string }> = {
  submit: { doing: 'Submitting', done: (some) => `${some} submitted` },
  // A job on a node that does not respond ends later.
  cancel: { doing: 'Canceling', done: (some) => `Cancel requested for ${some}` },
  delete: { doing: 'Deleting', done: (some) => `${some} deleted` },
}
const number = new Intl.NumberFormat()
const changes = [jobs.list, jobs.view, jobs.submissions, jobs.outputs, clusters.list, clusters.queue]

/** Bulk actions that submit, cancel and delete jobs. Render `dialogs` to show their dialogs. */
export function useBulkJobs(): { bulkOf: (chosen: readonly Job[]) => BulkAction[]; dialogs: ReactNode } {
  const admin = useIsAdmin()
  const invalidate = useInvalidate()
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  /** Idempotency keys by submission, so that a retry after a lost response does not start the job twice. */
  const keys = useRef(new Map<string, string>())
  const submit = async ({ id, updatedAt }: Job, { cluster, runAsAdmin }: Choice) => {
    const attempt = JSON.stringify([id, updatedAt, cluster, runAsAdmin])
    const key = keys.current.get(attempt) ?? randomId()
    keys.current.set(attempt, key)
    await call(jobs.submit, { body: { id, cluster, runAsAdmin, seen: updatedAt, key } })
    keys.current.delete(attempt)
  }

  const bulkOf = (chosen: readonly Job[]): BulkAction[] => {
    const action = (what: What, blockedReason: (job: Job) => string | null) => {
      const allowed = chosen.filter((job) => blockedReason(job) === null)
      const [first] = chosen
      return {
        disabledReason: allowed.length > 0 || !first ? null : blockedReason(first),
        onSelect: (bulk: BulkContext) =>
          setOpen({ what, allowed, skipped: chosen.length - allowed.length, bulk }),
      }
    }
    return [
      { label: 'Submit', icon: Play, ...action('submit', () => null) },
      { label: 'Cancel', icon: Square, ...action('cancel', cancelBlockedJob) },
      { label: 'Delete', icon: Trash2, ...action('delete', deleteBlockedJob) },
    ]
  }
  const run = ({ what, allowed, bulk }: NonNullable<Open>, act: (job: Job) => Promise<unknown>) => {
    close()
    void bulk.run({
      doing: texts[what].doing,
      done: (count) => texts[what].done(countText(count, 'job')),
      rows: allowed,
      idOf: ({ id }) => id,
      nameOf: ({ name }) => name,
      act: async (part) => {
        for (const job of part) await act(job)
      },
      onEnd: () => invalidate(changes),
    })
  }

  const most = (of: 'nodes' | 'cores' | 'gpus') =>
    Math.max(0, ...(open?.allowed ?? []).map(({ data }) => data[of]))
  const skippedText = (what: string) =>
    open &&
    open.skipped > 0 && (
      <p>
        {open.skipped === 1 ? 'One other is' : `${number.format(open.skipped)} others are`} {what}.
      </p>
    )
  const dialogs = open && (
    <>
      {open.what === 'submit' && (
        <ChooseCluster
          title={`Submit ${countText(open.allowed.length, 'job')}`}
          needs={{ nodes: most('nodes'), cores: most('cores'), gpus: most('gpus') }}
          last={open.allowed[0]?.lastSubmission?.cluster.id ?? null}
          onClose={close}
          onChoose={(choice) => run(open, (job) => submit(job, choice))}
        />
      )}
      {open.what === 'cancel' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Cancel ${countText(open.allowed.length, 'job')}?`}
          confirmLabel={`Cancel ${countText(open.allowed.length, 'job')}`}
          keepLabel="Keep running"
          onConfirm={() =>
            run(open, async ({ lastSubmission: last }) => {
              if (last)
                await call(jobs.cancel, { body: { job: last.id, cluster: last.cluster.id } }, { admin })
            })
          }
        >
          <p>They end immediately. Output written so far is kept. Unsaved results are lost.</p>
          {skippedText('not on a cluster')}
        </ConfirmDialog>
      )}
      {open.what === 'delete' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Delete ${countText(open.allowed.length, 'job')}?`}
          confirmLabel={`Delete ${countText(open.allowed.length, 'job')}`}
          onConfirm={() => run(open, ({ id }) => call(jobs.remove, { id }, { admin }))}
        >
          <p>
            Their scripts and submission histories are permanently deleted. Output files on the clusters are
            kept.
          </p>
          {skippedText('still on a cluster and kept')}
        </ConfirmDialog>
      )}
    </>
  )
  return { bulkOf, dialogs }
}
