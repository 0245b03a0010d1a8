import type { Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { useApiQuery } from '../../../api/query'
import { Async } from '../../../ui/feedback/async'
import { Callout } from '../../../ui/feedback/callout'
import { Card } from '../../../ui/layout/card'
import { KeyValue } from '../../../ui/text/key-value'
import { sumText } from '../../../ui/text/price-text'
import { RelativeTime } from '../../../ui/text/relative-time'

/** The resources that were removed after the end, and the cost of the workshop. */
export function ReceiptCard({ training }: { training: Training }) {
  const receipt = useApiQuery(trainings.receipt, { id: training.id })
  return (
    <Card title="Receipt" description="What was torn down after the workshop ended.">
      <Async data={receipt}>
        {(found) =>
          found === null ? (
            <p className="text-body text-ink-2">Not torn down yet</p>
          ) : (
            <div className="flex flex-col gap-3">
              {found.problems.map((problem) => (
                <Callout key={problem} tone="red" title={problem} />
              ))}
              <KeyValue
                columns={2}
                items={[
                  { label: 'Ended', value: <RelativeTime at={found.endedAt} /> },
                  { label: 'Torn down', value: <RelativeTime at={found.tornDownAt} /> },
                  { label: 'Participants', value: found.participants },
                  { label: 'Accounts removed', value: found.accountsRemoved },
                  { label: 'Desktops ended', value: found.desktopsEnded },
                  {
                    label: 'Clusters removed',
                    value: found.clusters.filter(({ outcome }) => outcome === 'destroyed').length,
                  },
                  { label: 'Cost', value: sumText(found.cost.price) },
                  { label: 'Per seat', value: sumText(found.cost.perSeat) },
                ]}
              />
            </div>
          )
        }
      </Async>
    </Card>
  )
}
