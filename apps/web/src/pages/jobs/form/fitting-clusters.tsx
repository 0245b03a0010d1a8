import { clusters } from '@flotilla/contract/clusters/clusters'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { useWatch } from 'react-hook-form'
import { useApiQuery } from '../../../api/query'
import { offers } from '../../../submit/offer'
import { Async } from '../../../ui/feedback/async'
import { Card } from '../../../ui/layout/card'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { Status } from '../../../ui/status/status'
import { validJob, type JobFormState } from './job-form'

/** The clusters that could run the job in its current form. */
export function FittingClusters({ form }: { form: JobFormState }) {
  const list = useApiQuery(clusters.list, { query: { limit: PAGE_SIZE_MAX } })
  const data = useWatch({ control: form.control, name: 'data' })
  const job = validJob({ name: 'job', data: { ...data, script: 'true' } })
  return (
    <Card title="Where it can run">
      <Async
        data={list}
        skeleton={<SkeletonText lines={2} />}
        empty={<p className="text-body text-ink-2">No clusters yet. You can still save the job.</p>}
      >
        {(all) => (
          <ul className="flex max-h-60 flex-col gap-2.5 overflow-y-auto">
            {(job
              ? offers(job.data, all)
              : all.map((cluster) => ({ cluster, blockedReason: 'Fix the invalid fields first' }))
            ).map(({ cluster, blockedReason }) => (
              <li key={cluster.id}>
                <Status tone={blockedReason === null ? 'green' : 'gray'}>{cluster.name}</Status>
                {blockedReason !== null && <p className="pl-4 text-label text-ink-3">{blockedReason}</p>}
              </li>
            ))}
          </ul>
        )}
      </Async>
    </Card>
  )
}
