import { managerNames } from '@flotilla/contract/clusters/inputs'
import type { MarketplaceEntry } from '@flotilla/contract/stacks/marketplace'
import { Rocket } from 'lucide-react'
import { useId } from 'react'
import { paths } from '../../../paths'
import { Badge } from '../../../ui/status/badge'
import { Button } from '../../../ui/button/button'
import { ButtonLink, ExternalLink, TextLink } from '../../../ui/button/link'
import { ProviderMark, providerName } from '../provider-mark'
import { imageText, targetNames } from './entry-text'

interface Props {
  entry: MarketplaceEntry
  /** Why the entry cannot be launched, or null. */
  reason: string | null
  /** Whether only a credential is missing and the user may add one. */
  mayStore: boolean
}

/** A marketplace entry with a link to launch it. */
export function EntryCard({ entry, reason, mayStore }: Props) {
  const { id, logo, name, vendor, vendor_link, version, platform, description, action, target, config } =
    entry
  const titleId = useId()
  return (
    <li
      aria-labelledby={titleId}
      className="flex min-w-0 flex-col gap-3 rounded-card border border-line-1 bg-surface-2 p-4"
    >
      <div className="flex items-start gap-3">
        <img src={logo} alt="" width={40} height={40} className="rounded-card" />
        <div className="min-w-0 flex-1">
          <h2 id={titleId} className="text-form font-semibold">
            {name}
          </h2>
          <p className="text-label text-ink-3">
            <ExternalLink href={vendor_link}>{vendor}</ExternalLink> {version}
          </p>
        </div>
        {action === 'Soon' && <Badge tone="gray">Soon</Badge>}
      </div>
      <p className="text-body text-ink-2">{description}</p>
      <p className="text-label text-ink-3">{imageText(entry)}</p>
      <p className="flex flex-wrap items-center gap-1.5">
        <span className="inline-flex items-center gap-1.5 text-label text-ink-2">
          <ProviderMark provider={platform} />
          {providerName(platform)}, {managerNames[config.resource_manager]}
        </span>
        {target.map((one) => (
          <Badge key={one}>{targetNames[one]}</Badge>
        ))}
      </p>
      {reason !== null && action === 'Launch' && (
        <p className="text-label text-ink-2">
          {reason}
          {mayStore && (
            <>
              : <TextLink to={paths.credentials()}>add one in the Credentials Manager</TextLink>
            </>
          )}
          .
        </p>
      )}
      <div className="mt-auto flex items-center justify-between gap-2 pt-1">
        <ExternalLink href={config.moreInfo_link} className="text-label">
          More information
        </ExternalLink>
        {reason === null ? (
          <ButtonLink
            to={paths.clusters()}
            search={{ new: platform, entry: String(id) }}
            icon={Rocket}
            aria-label={`Launch ${name}`}
          >
            Launch
          </ButtonLink>
        ) : (
          <Button icon={Rocket} disabledReason={reason} aria-label={`Launch ${name}`}>
            Launch
          </Button>
        )}
      </div>
    </li>
  )
}
