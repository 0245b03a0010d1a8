import { DEFAULT_LICENSE, license, type License } from '@flotilla/contract/site/license'
import { useApiQuery } from '../../api/query'
import { Async } from '../../ui/async'
import { Card } from '../../ui/card'
import { CopyText } from '../../ui/copy-text'
import { KeyValue } from '../../ui/key-value'
import { RelativeTime } from '../../ui/relative-time'
import { SkeletonText } from '../../ui/skeleton'
import { Status } from '../../ui/status'

export function LicenseTab() {
  const current = useApiQuery(license.view, {})
  return (
    <div className="grid max-w-[1120px] items-start gap-4 lg:grid-cols-2">
      <Card title="Site license">
        <Async data={current} skeleton={<SkeletonText lines={4} />}>
          {(found) => <Facts license={found} />}
        </Async>
      </Card>
      <Card
        title="Install a license"
        description="Replacing the file takes effect immediately. The first license takes three steps."
      >
        <ol className="flex list-decimal flex-col gap-2 pl-5 text-body text-ink-2 marker:text-ink-3">
          <li>
            Copy the license file and its issuer’s public key to the server, readable by the server’s account.
          </li>
          <li>
            Set both paths in the server&apos;s environment:
            <br />
            <CopyText wrap label="first variable" text="LICENSE_FILE=/path/to/license.json" />
            <br />
            <CopyText wrap label="second variable" text="LICENSE_PUBLIC_KEY_FILE=/path/to/license.pub" />
          </li>
          <li>Restart the server and check here again.</li>
        </ol>
      </Card>
    </div>
  )
}

function Facts({ license: { licenseType, issuedTo, validFrom, validUntil } }: { license: License }) {
  const isDefault = licenseType === DEFAULT_LICENSE && issuedTo === null
  return (
    <KeyValue
      items={[
        { label: 'State', value: <Status tone="green">Valid</Status> },
        { label: 'Type', value: licenseType },
        {
          label: 'Issued to',
          value: issuedTo ?? (isDefault ? 'No one (no license file, community use)' : null),
        },
        { label: 'Valid from', value: validFrom === null ? 'Always' : <RelativeTime at={validFrom} /> },
        {
          label: 'Valid until',
          value: validUntil === null ? 'No expiration' : <RelativeTime at={validUntil} />,
        },
      ]}
    />
  )
}
