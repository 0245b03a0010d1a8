import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { QueuedJob } from '@flotilla/contract/clusters/tables'
import { jobs as jobCalls } from '@flotilla/contract/jobs/jobs'
import { messages } from '@flotilla/contract/messages'
import { useApiMutation } from '../../../../api/query'
import { notices } from '../../../../ui/feedback/notices-store'
import { useAdminScope } from '../../use-admin-scope'
import { batches } from '../batches'
import type { JobOperation } from './job-rules'

const done: Record<JobOperation, string> = {
  cancel: messages.jobCanceled,
  hold: 'Job held',
  release: 'Job released',
}
const doneMany: Record<JobOperation, string> = {
  cancel: 'jobs canceled',
  hold: 'jobs held',
  release: 'jobs released',
}

/** Applies an operation to jobs. Users who do not own the cluster can only cancel their own submissions. */
export function useJobOperations(cluster: Cluster) {
  const admin = useAdminScope(cluster)
  const invalidates = [clusters.queue, clusters.view, jobCalls.list]
  const operate = useApiMutation(clusters.operateJobs, { admin, invalidates })
  const cancel = useApiMutation(jobCalls.cancel, { invalidates })
  return async (operation: JobOperation, jobs: readonly QueuedJob[]): Promise<void> => {
    try {
      if (cluster.mine) {
        for (const names of batches(jobs.map(({ id }) => id)))
          await operate.mutateAsync({ id: cluster.id, operation, body: { jobs: names } })
      } else {
        for (const { submissionId } of jobs) {
          if (submissionId) await cancel.mutateAsync({ body: { job: submissionId, cluster: cluster.id } })
        }
      }
    } catch {
      // Reported by the ERROR dialog.
      return
    }
    notices.success(jobs.length === 1 ? done[operation] : `${jobs.length} ${doneMany[operation]}`)
  }
}
