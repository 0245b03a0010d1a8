import { DEFAULT_LICENSE, license, type License } from '@flotilla/contract/site/license'
import { useApiQuery } from '../../../api/query'
import { Async } from '../../../ui/feedback/async'
import { Card } from '../../../ui/layout/card'
import { KeyValue } from '../../../ui/text/key-value'
import { RelativeTime } from '../../../ui/text/relative-time'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { Status } from '../../../ui/status/status'
import { InstallCard } from './install-card'

export function LicenseTab() {
  const current = useApiQuery(license.view, {})
  return (
    <div className="grid max-w-[1120px] items-start gap-4 lg:grid-cols-2">
      <Card title="Site license">
        <Async data={current} skeleton={<SkeletonText lines={4} />}>
          {(found) => <Facts license={found} />}
        </Async>
      </Card>
      <InstallCard />
    </div>
  )
}

/** Formats dates in UTC, because licenses are issued for UTC days. */
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

function Facts({ license: { licenseType, issuedTo, validFrom, validUntil } }: { license: License }) {
  const isDefault = licenseType === DEFAULT_LICENSE && issuedTo === null
  return (
    <KeyValue
      items={[
        { label: 'State', value: <Status tone="green">Valid</Status> },
        { label: 'Type', value: licenseType },
        {
          label: 'Issued to',
          value: issuedTo ?? (isDefault ? 'No license installed (community use)' : null),
        },
        { label: 'Valid from', value: validFrom === null ? 'Always' : day.format(validFrom) },
        {
          label: 'Valid until',
          value:
            validUntil === null ? (
              'No expiration'
            ) : (
              <>
                {day.format(validUntil)}, <RelativeTime at={validUntil} />
              </>
            ),
        },
      ]}
    />
  )
}
