import { clusters } from '@flotilla/contract/clusters/clusters'
import { jobs, type Job, type Submission } from '@flotilla/contract/jobs/jobs'
import { messages } from '@flotilla/contract/messages'
import { useRef } from 'react'
import { useApiMutation } from '../api/query'
import { randomId } from '../random-id'
import { ChooseCluster } from './choose-cluster'

interface Props {
  job: Job
  onClose: () => void
  onSubmitted: (submission: Submission) => void
}

/** Submits a saved job. */
export function SubmitDialog({ job, onClose, onSubmitted }: Props) {
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
  return (
    <ChooseCluster
      title={`Submit ${job.name}`}
      needs={job.data}
      last={job.lastSubmission?.cluster.id ?? null}
      busy={submit.isPending}
      onClose={onClose}
      onChoose={({ cluster, runAsAdmin }) => {
        const key = keyOf(`${cluster} ${runAsAdmin}`)
        submit.mutate({ body: { id: job.id, cluster, runAsAdmin, seen: job.updatedAt, key } })
      }}
    />
  )
}
