import { quotaLabels, quotaShortages, type QuotaRow } from '@flotilla/contract/clusters/quota'
import { ExternalLink } from '../../../../ui/button/link'
import { Callout } from '../../../../ui/feedback/callout'
import { Status } from '../../../../ui/status/status'
import type { Tone } from '../../../../ui/status/tone'

const tones: Record<QuotaRow['state'], Tone> = {
  enough: 'green',
  later: 'amber',
  short: 'red',
  unknown: 'gray',
}

/** Whether the cloud account's quota covers the head node and each group. */
export const QuotaRows = ({ rows }: { rows: readonly QuotaRow[] }) => (
  <ul className="flex flex-col gap-3 text-label">
    {rows.map(({ what, size, state, text, link }) => (
      <li key={what} className="flex flex-col gap-0.5">
        <span className="flex items-baseline justify-between gap-3 text-body">
          <span className="min-w-0 wrap-anywhere">
            {what} {size && <span className="text-label text-ink-3">{size}</span>}
          </span>
          <span className="shrink-0">
            <Status tone={tones[state]} pulse={false}>
              {quotaLabels[state]}
            </Status>
          </span>
        </span>
        <span className="wrap-anywhere text-ink-2">
          {text} {state !== 'enough' && link && <ExternalLink href={link}>Request more</ExternalLink>}
        </span>
      </li>
    ))}
  </ul>
)

/** Warns before a deployment that the quota is too low, so that the cloud would refuse part of it. */
export function QuotaWarning({ rows }: { rows: readonly QuotaRow[] }) {
  const short = quotaShortages(rows)
  if (short.length === 0) return null
  return (
    <Callout tone="amber" title="The cloud account’s quota is not enough to deploy this">
      <ul className="flex flex-col gap-1">
        {short.map(({ what, text, link }) => (
          <li key={what}>
            {what}: {text} {link && <ExternalLink href={link}>Request more</ExternalLink>}
          </li>
        ))}
      </ul>
    </Callout>
  )
}
