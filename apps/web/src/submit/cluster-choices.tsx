import type { Cluster } from '@flotilla/contract/clusters/entity'
import { managerNames } from '@flotilla/contract/clusters/inputs'
import { coresText, countText } from '@flotilla/contract/count-text'
import { RadioCards } from '../ui/form/radio-cards'
import type { Offer } from './offer'

interface Props {
  offers: readonly Offer<Cluster>[]
  value: string | null
  onChange: (id: string) => void
}

/** All visible clusters: those that cannot run the job are shown with the reason. */
export function ClusterChoices({ offers, value, onChange }: Props) {
  return (
    <div className="flex flex-col gap-2">
      <RadioCards
        legend="Cluster"
        name="cluster"
        columns={1}
        value={value}
        onChange={onChange}
        options={offers.map(({ cluster, blockedReason }) => ({
          value: cluster.id,
          label: cluster.name,
          description: about(cluster),
          disabledReason: blockedReason,
        }))}
      />
      {offers.every(({ blockedReason }) => blockedReason !== null) && (
        <p className="text-body text-ink-2">No cluster can run this job right now.</p>
      )}
    </div>
  )
}

const about = ({ data, nodes, queue, largestNode }: Cluster): string =>
  [
    managerNames[data.manager],
    // A partly used node may still have room: only the number of completely free nodes is known here.
    `${nodes.available} of ${countText(nodes.total, 'node')} idle`,
    `up to ${coresText(largestNode)} per node`,
    queue.queued + queue.blocked > 0 ? `${queue.queued + queue.blocked} waiting` : 'no jobs waiting',
  ].join(' · ')
