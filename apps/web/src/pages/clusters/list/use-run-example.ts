import { clusters } from '@flotilla/contract/clusters/clusters'
import { dashboard } from '@flotilla/contract/clusters/dashboard'
import { jobs, type Job } from '@flotilla/contract/jobs/jobs'
import { messages } from '@flotilla/contract/messages'
import { useRef } from 'react'
import { showError } from '../../../api/errors'
import { useApiMutation } from '../../../api/query'
import { paths, useGo } from '../../../paths'
import { randomId } from '../../../random-id'
import type { Template } from '../../../submit/templates'

/** Saves an example as a job, submits it and shows its output. */
export function useRunExample(): { run: (example: Template, clusterId: string) => void; isRunning: boolean } {
  const go = useGo()
  const create = useApiMutation(jobs.create, { invalidates: [jobs.list] })
  const submit = useApiMutation(jobs.submit, {
    success: messages.jobSubmitted,
    invalidates: [jobs.list, dashboard.firstRun, clusters.list, clusters.queue],
    onSuccess: ({ jobId, id }) => go(paths.job(jobId), { submission: id }),
  })
  // A second attempt after a failed one neither saves nor submits it twice.
  const saved = useRef<Job | null>(null)
  const key = useRef(randomId())
  const start = async ({ name, description, data }: Template, cluster: string) => {
    saved.current ??= await create.mutateAsync({ body: { name, description, data } })
    submit.mutate({ body: { id: saved.current.id, cluster, key: key.current } })
  }
  return {
    // A failed submit shows its own error.
    run: (example, clusterId) => void start(example, clusterId).catch(showError),
    isRunning: create.isPending || submit.isPending,
  }
}
