import { managerNames, type Cluster } from '@flotilla/contract/clusters'
import { RadioCards } from '../ui/radio-cards'
import type { Offer } from './offer'

interface Props {
  offers: readonly Offer<Cluster>[]
  value: string | null
  onChange: (id: string) => void
}

/** Every cluster one sees: those that cannot take the job stay in sight with the reason. */
export function ClusterChoices({ offers, value, onChange }: Props) {
  return (
    <RadioCards
      legend="Cluster"
      name="cluster"
      columns={1}
      value={value}
      onChange={onChange}
      options={offers.map(({ cluster, why }) => ({
        value: cluster.id,
        label: cluster.name,
        description: about(cluster),
        disabledReason: why,
      }))}
    />
  )
}

const about = ({ data, nodes, queue }: Cluster): string =>
  [
    managerNames[data.manager],
    `${nodes.available} of ${nodes.total} ${nodes.total === 1 ? 'node' : 'nodes'} free`,
    queue.queued + queue.blocked > 0 ? `${queue.queued + queue.blocked} waiting` : 'nothing waits',
  ].join(' · ')
