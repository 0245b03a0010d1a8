import { clusters } from '@flotilla/contract/clusters/clusters'
import { jobs } from '@flotilla/contract/jobs/jobs'
import type { Job } from '@flotilla/contract/jobs/jobs'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { ListChecks, Server } from 'lucide-react'
import { useId, useState } from 'react'
import type { FormEvent } from 'react'
import { isFirstLoad, useApiMutation, useApiQuery } from '../../api/query'
import { paths, useGo } from '../../paths'
import { randomId } from '../../random-id'
import { useIsAdmin } from '../../session/user'
import { ClusterChoices } from '../../submit/cluster-choices'
import { offers, submitBlockedReason } from '../../submit/offer'
import { stateLabel } from '../../submit/submission-state'
import { Async } from '../../ui/feedback/async'
import { Button } from '../../ui/button/button'
import { Checkbox } from '../../ui/form/checkbox'
import { coresText, countText } from '@flotilla/contract/count-text'
import { Dialog } from '../../ui/overlay/dialog'
import { EmptyState } from '../../ui/feedback/empty-state'
import { Field } from '../../ui/form/field'
import { Combobox, type ComboboxOption } from '../../ui/form/combobox'
import { ButtonLink } from '../../ui/button/link'
import { notices } from '../../ui/feedback/notices-store'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { Spinner } from '../../ui/feedback/spinner'

const all = { query: { limit: PAGE_SIZE_MAX } }

const needsText = ({ nodes, cores, gpus, walltime }: Job['data']): string =>
  `${countText(nodes, 'node')}, ${coresText({ cores, gpus })} each, up to ${walltime}`

/** The most recently submitted job comes first, because it is often submitted again. */
const optionsOf = (list: readonly Job[], isAdmin: boolean): ComboboxOption[] => {
  const lastAt = ({ lastSubmission: last, createdAt }: Job) => last?.submittedAt ?? createdAt
  return list
    .toSorted((one, other) => lastAt(other) - lastAt(one))
    .map(({ id, name, owner, lastSubmission: last }) => ({
      value: id,
      label: name,
      detail: [isAdmin && owner, last && stateLabel(last.state)].filter(Boolean).join(' · '),
    }))
}

interface QuickJobProps {
  /** Chosen from the start. */
  clusterId?: string
  onClose: () => void
}

export default function QuickJob({ clusterId: given, onClose }: QuickJobProps) {
  const formId = useId()
  const go = useGo()
  const isAdmin = useIsAdmin()
  const jobList = useApiQuery(jobs.list, all)
  const clusterList = useApiQuery(clusters.list, all)
  const [jobId, setJobId] = useState('')
  const [clusterId, setClusterId] = useState<string | null>(given ?? null)
  const [runAsAdmin, setRunAsAdmin] = useState(false)
  // Every attempt to submit this choice has the same key, so that a lost response never submits it twice.
  const [key, setKey] = useState(randomId)

  const job = jobList.data?.find(({ id }) => id === jobId) ?? null
  const cluster = clusterList.data?.find(({ id }) => id === clusterId)
  // The chosen cluster may have become unavailable since.
  const isOffered = cluster !== undefined && submitBlockedReason(job?.data ?? null, cluster) === null
  const change = (act: () => void) => {
    act()
    setKey(randomId())
  }

  const submit = useApiMutation(jobs.submit, {
    invalidates: [jobs.list, jobs.submissions, clusters.queue, clusters.view],
    onSuccess: (submission) => {
      const to = paths.job(submission.jobId)
      notices.success(messages.jobSubmitted, { to, label: 'View output', go: () => go(to) })
      onClose()
    },
  })
  const ready = job !== null && isOffered
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!ready || submit.isPending) return
    submit.mutate(
      {
        body: {
          id: job.id,
          cluster: cluster.id,
          runAsAdmin: isAdmin && runAsAdmin,
          seen: job.updatedAt,
          key,
        },
      },
      {
        // A clear rejection is final; after anything else, the next attempt must count as the same.
        onError: ({ status }) => {
          if (status >= 400 && status < 500) setKey(randomId())
        },
      },
    )
  }

  return (
    <Dialog
      open
      onClose={onClose}
      dismissable={!submit.isPending}
      title="Quick Job Submit"
      description="Run a saved job on a cluster with enough resources for it."
      footer={
        <>
          <span role="status" className="mr-auto flex items-center gap-2 text-body text-ink-2">
            {submit.isPending && (
              <>
                <Spinner /> {messages.submittingJob}
              </>
            )}
          </span>
          <Button onClick={onClose} disabled={submit.isPending}>
            Back
          </Button>
          <Button type="submit" form={formId} variant="primary" disabled={!ready || submit.isPending}>
            Submit
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={send} className="flex flex-col gap-4">
        {isFirstLoad(jobList) || isFirstLoad(clusterList) ? (
          // Both lists are shown at once, because a late one would move the list that the user is choosing from.
          <SkeletonText lines={6} />
        ) : (
          <>
            <Async
              data={jobList}
              empty={
                <EmptyState
                  icon={ListChecks}
                  title="No saved jobs"
                  action={
                    <ButtonLink to={paths.jobs()} onClick={onClose}>
                      Go to the Job Manager
                    </ButtonLink>
                  }
                >
                  Create a job first. You can then submit it from any page.
                </EmptyState>
              }
            >
              {(list) => (
                <Field label="Job" hint={job ? `Needs ${needsText(job.data)}` : undefined}>
                  {(aria) => (
                    <Combobox
                      aria={aria}
                      autofocus
                      placeholder="Choose a job"
                      options={optionsOf(list, isAdmin)}
                      value={jobId}
                      onChange={(id) => change(() => setJobId(id))}
                    />
                  )}
                </Field>
              )}
            </Async>
            <Async
              data={clusterList}
              empty={
                <EmptyState icon={Server} title="No clusters">
                  No clusters are available to you yet.
                </EmptyState>
              }
            >
              {(list) => (
                <ClusterChoices
                  offers={offers(job?.data ?? null, list)}
                  value={isOffered ? clusterId : null}
                  onChange={(id) => change(() => setClusterId(id))}
                />
              )}
            </Async>
            {isAdmin && (
              <Checkbox
                label="Admin"
                hint="Runs as the cluster’s admin account instead of your own."
                checked={runAsAdmin}
                onChange={(event) => {
                  const { checked } = event.target
                  change(() => setRunAsAdmin(checked))
                }}
              />
            )}
          </>
        )}
      </form>
    </Dialog>
  )
}
