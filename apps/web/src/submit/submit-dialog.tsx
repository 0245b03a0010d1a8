import { clusters } from '@flotilla/contract/clusters/clusters'
import { jobs, type Job, type Submission } from '@flotilla/contract/jobs/jobs'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { Server } from 'lucide-react'
import { useId, useRef, useState, type FormEvent } from 'react'
import { useApiMutation, useApiQuery } from '../api/query'
import { paths } from '../paths'
import { useIsAdmin } from '../session/user'
import { Async } from '../ui/feedback/async'
import { Button } from '../ui/button/button'
import { Checkbox } from '../ui/form/checkbox'
import { Dialog } from '../ui/overlay/dialog'
import { EmptyState } from '../ui/feedback/empty-state'
import { ButtonLink } from '../ui/button/link'
import { SkeletonText } from '../ui/feedback/skeleton'
import { ClusterChoices } from './cluster-choices'
import { offers } from './offer'
import { randomId } from '../random-id'

interface Props {
  job: Job
  onClose: () => void
  onSubmitted: (submission: Submission) => void
}

/** Chooses where a saved job runs. */
export function SubmitDialog({ job, onClose, onSubmitted }: Props) {
  const formId = useId()
  const isAdmin = useIsAdmin()
  const list = useApiQuery(clusters.list, { query: { limit: PAGE_SIZE_MAX } })
  const found = offers(job.data, list.data ?? [])
  const [chosen, setChosen] = useState<string | null>(job.lastSubmission?.cluster.id ?? null)
  const [runAsAdmin, setRunAsAdmin] = useState(false)
  const possible = found.filter(({ blockedReason }) => blockedReason === null)
  // The last cluster, or the only one, is preselected; one that cannot run the job never is.
  const offered =
    possible.find(({ cluster }) => cluster.id === chosen) ?? (possible.length === 1 ? possible[0] : undefined)
  const target = offered?.cluster.id ?? null
  const submit = useApiMutation(jobs.submit, {
    success: messages.jobSubmitted,
    invalidates: [jobs.list, jobs.view, jobs.submissions, jobs.outputs, clusters.list, clusters.queue],
    onSuccess: onSubmitted,
  })
  // A second click after a lost response must not run the job twice; another choice is another submission.
  const keys = useRef(new Map<string, string>())
  const keyOf = (choice: string): string => {
    const key = keys.current.get(choice) ?? randomId()
    keys.current.set(choice, key)
    return key
  }

  const send = (event: FormEvent) => {
    event.preventDefault()
    if (target === null || submit.isPending) return
    const key = keyOf(`${target} ${runAsAdmin}`)
    submit.mutate({ body: { id: job.id, cluster: target, runAsAdmin, seen: job.updatedAt, key } })
  }

  return (
    <Dialog
      open
      onClose={onClose}
      dismissable={!submit.isPending}
      title={`Submit ${job.name}`}
      footer={
        <>
          <span role="status" className="mr-auto self-center text-body text-ink-2">
            {submit.isPending ? messages.submittingJob : ''}
          </span>
          <Button onClick={onClose} disabled={submit.isPending}>
            Back
          </Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={submit.isPending}
            disabledReason={target === null ? 'Choose a cluster first' : null}
          >
            Submit
          </Button>
        </>
      }
    >
      <Async
        data={list}
        skeleton={<SkeletonText lines={4} />}
        empty={
          <EmptyState
            icon={Server}
            title="No clusters yet"
            action={<ButtonLink to={paths.clusters()}>Go to clusters</ButtonLink>}
          >
            Jobs run on clusters. Create one, or ask someone to share theirs.
          </EmptyState>
        }
      >
        {() => (
          <form id={formId} className="flex flex-col gap-4" onSubmit={send}>
            <ClusterChoices offers={found} value={target} onChange={setChosen} />
            {isAdmin && (
              <Checkbox
                label="Admin"
                hint="Runs as the cluster's admin account instead of your own."
                checked={runAsAdmin}
                onChange={(event) => setRunAsAdmin(event.currentTarget.checked)}
              />
            )}
          </form>
        )}
      </Async>
    </Dialog>
  )
}
