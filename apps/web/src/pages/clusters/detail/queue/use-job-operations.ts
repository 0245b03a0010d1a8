import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { QueuedJob } from '@flotilla/contract/clusters/tables'
import { countText } from '@flotilla/contract/count-text'
import { jobs as jobCalls } from '@flotilla/contract/jobs/jobs'
import { messages } from '@flotilla/contract/messages'
import { call } from '../../../../api/call'
import { useApiMutation, useInvalidate } from '../../../../api/query'
import type { BulkContext } from '../../../../table/selection/use-bulk-run'
import { notices } from '../../../../ui/feedback/notices-store'
import { useAdminScope } from '../../use-admin-scope'
import { PER_CALL, reasonsOf } from '../bulk-calls'
import type { JobOperation } from './job-rules'

const texts: Record<JobOperation, { doing: string; done: string; doneMany: string }> = {
  cancel: { doing: 'Canceling', done: messages.jobCanceled, doneMany: 'canceled' },
  purge: { doing: 'Purging', done: 'Job purged', doneMany: 'purged' },
  hold: { doing: 'Holding', done: 'Job held', doneMany: 'held' },
  release: { doing: 'Releasing', done: 'Job released', doneMany: 'released' },
}
const changes = [clusters.queue, clusters.view, jobCalls.list]

/** Applies an operation to jobs. Users who do not own the cluster can only cancel their own submissions. */
export function useJobOperations(cluster: Cluster) {
  const admin = useAdminScope(cluster)
  const invalidate = useInvalidate()
  const operate = useApiMutation(clusters.operateJobs, { admin, invalidates: changes })
  const cancel = useApiMutation(jobCalls.cancel, { invalidates: changes })
  const cancelRequest = ({ submissionId }: QueuedJob) => ({
    body: { job: submissionId ?? '', cluster: cluster.id },
  })
  const operateRequest = (operation: JobOperation, jobs: readonly QueuedJob[]) => ({
    id: cluster.id,
    operation,
    body: { jobs: jobs.map(({ id }) => id) },
  })

  return {
    one: async (operation: JobOperation, job: QueuedJob): Promise<void> => {
      // A failure opens the ERROR dialog.
      const sent = cluster.mine
        ? operate.mutateAsync(operateRequest(operation, [job]))
        : cancel.mutateAsync(cancelRequest(job))
      await sent.then(() => notices.success(texts[operation].done)).catch(() => {})
    },
    many: (operation: JobOperation, jobs: readonly QueuedJob[], { run }: BulkContext): Promise<void> =>
      run({
        doing: texts[operation].doing,
        done: (count) => `${countText(count, 'job')} ${texts[operation].doneMany}`,
        rows: jobs,
        idOf: ({ id }) => id,
        nameOf: ({ id, name }) => `${id} ${name}`,
        perCall: cluster.mine ? PER_CALL : 1,
        act: async (part) => {
          if (cluster.mine)
            return reasonsOf(await call(clusters.operateJobs, operateRequest(operation, part), { admin }))
          for (const job of part) await call(jobCalls.cancel, cancelRequest(job))
        },
        onEnd: () => invalidate(changes),
      }),
  }
}
