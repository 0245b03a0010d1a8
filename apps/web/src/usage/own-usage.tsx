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
export function OwnUsage() {
  const { range } = useRange()
  const usage = useApiQuery(account.own, rangeInput(range), { keepPrevious: true })
  return (
    <Card
      id="usage"
      title="Usage"
      description="Your jobs on all clusters, and what they cost."
      actions={<RangePicker />}
    >
      <div className="flex flex-col gap-4">
        <Async data={usage}>
          {(own) => (
            <Figures
              items={[
                { label: 'Jobs', value: own.jobs.toLocaleString() },
                { label: 'Core hours', value: hoursText(own.coreHours) },
                { label: 'GPU hours', value: hoursText(own.gpuHours) },
                { label: 'Node hours', value: hoursText(own.nodeHours) },
                {
                  label: 'Price',
                  value: own.jobs > 0 ? priceText(own.price, own.unpricedCoreHours) : '–',
                },
              ]}
            />
          )}
        </Async>
        <JobTable range={range} />
      </div>
    </Card>
  )
}
