import { account } from '@flotilla/contract/site/usage'
import { useApiQuery } from '../api/query'
import { Async } from '../ui/feedback/async'
import { Card } from '../ui/layout/card'
import { Figures } from './figures'
import { JobTable } from './job-table'
import { RangePicker } from './range-picker'
import { rangeInput, useRange } from './range'
import { hoursText, priceText } from './usage-text'

/** What the user's own jobs used. */
export function OwnUsage({ username }: { username: string }) {
  const { range } = useRange()
  const accounts = useApiQuery(account.list, rangeInput(range), { keepPrevious: true })
  return (
    <Card
      id="usage"
      title="Usage"
      description="Your jobs on all clusters, and what they cost."
      actions={<RangePicker />}
    >
      <div className="flex flex-col gap-4">
        <Async data={accounts}>
          {(rows) => {
            // Admins get everyone's.
            const own = rows.find(({ userAccount }) => userAccount === username)
            return (
              <Figures
                items={[
                  { label: 'Jobs', value: (own?.jobs ?? 0).toLocaleString() },
                  { label: 'Core hours', value: hoursText(own?.coreHours ?? 0) },
                  { label: 'GPU hours', value: hoursText(own?.gpuHours ?? 0) },
                  { label: 'Node hours', value: hoursText(own?.nodeHours ?? 0) },
                  {
                    label: 'Price',
                    value: own ? priceText(own.price, own.unpricedCoreHours) : '–',
                  },
                ]}
              />
            )
          }}
        </Async>
        <JobTable userAccount={username} range={range} />
      </div>
    </Card>
  )
}
