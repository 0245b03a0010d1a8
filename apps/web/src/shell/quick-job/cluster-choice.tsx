import { managerNames } from '@flotilla/contract/clusters'
import type { Cluster } from '@flotilla/contract/clusters'
import { RadioCards } from '../../ui/radio-cards'
import { offers } from './why-not-offered'
import type { Needs } from './why-not-offered'

interface Props {
  clusters: readonly Cluster[]
  job: Needs | null
  value: string | null
  onChange: (id: string) => void
}

/** Those on offer, and below them the others, each with its reason. */
export function ClusterChoice({ clusters, job, value, onChange }: Props) {
  const judged = offers(clusters, job)
  const none = judged.every(({ why }) => why !== null)
  return (
    <div className="flex flex-col gap-2">
      <RadioCards
        legend="Cluster"
        name="cluster"
        columns={1}
        value={value}
        onChange={onChange}
        options={judged.map(({ cluster, why }) => ({
          value: cluster.id,
          label: cluster.name,
          description: described(cluster),
          disabledReason: why,
        }))}
      />
      {none && (
        <p className="text-body text-ink-2">
          {job ? 'No cluster can run this job: each says why.' : 'No cluster takes jobs now: each says why.'}
        </p>
      )}
    </div>
  )
}

const described = ({ data, nodes, queue, largestNode }: Cluster): string =>
  `${managerNames[data.manager]}: ${nodes.available} of ${nodes.total} nodes available, up to ${largestNode.cores} cores${
    largestNode.gpus > 0 ? ` and ${largestNode.gpus} GPUs` : ''
  } on one; ${queue.queued + queue.blocked} waiting`
