import { clusters } from '@flotilla/contract/clusters/clusters'
import { dashboard } from '@flotilla/contract/clusters/dashboard'
import { jobs, type Submission } from '@flotilla/contract/jobs/jobs'
import { call } from '../../../api/call'
import { randomId } from '../../../random-id'
import { hello } from '../../../submit/templates'

/** State kept between attempts, so that a retry neither saves nor submits the job twice. */
export type Attempt = { key?: string; jobId?: string }

/** The queries that a submission invalidates. */
export const changes = [jobs.list, dashboard.firstRun, clusters.list, clusters.queue]

/** Saves the example as a job and submits it. It has its own file so that it is loaded on demand. */
export async function runExample(attempt: Attempt, cluster: string): Promise<Submission> {
  const { name, description, data } = hello
  attempt.key ??= randomId()
  attempt.jobId ??= (await call(jobs.create, { body: { name, description, data } })).id
  return call(jobs.submit, { body: { id: attempt.jobId, cluster, key: attempt.key } })
}
