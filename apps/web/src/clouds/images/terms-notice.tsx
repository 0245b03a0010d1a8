import type { ImageTerms } from '@flotilla/contract/clusters/terms'
import { Button } from '../../ui/button/button'
import { ExternalLink } from '../../ui/button/link'
import { Callout } from '../../ui/feedback/callout'

type Props = {
  terms: readonly ImageTerms[]
  /** The action that requires them to be accepted. */
  before: 'deploying' | 'building'
  /** Null for users who may not accept them. */
  onAccept: (() => void) | null
  busy: boolean
}

/** Terms of marketplace images that the cloud account has to accept. */
export function TermsNotice({ terms, before, onAccept, busy }: Props) {
  if (terms.length === 0) return null
  const unknown = terms.every(({ accepted }) => accepted === null)
  return (
    <Callout
      tone="amber"
      title={
        unknown
          ? 'Could not check whether the image terms have been accepted'
          : `Accept the image terms before ${before}`
      }
    >
      <ul className="flex flex-col gap-2">
        {terms.map(({ name, link, command }) => (
          <li key={name}>
            {name}
            {link !== '' && (
              <>
                {': '}
                <ExternalLink href={link}>Read the terms</ExternalLink>
              </>
            )}
            <code className="mt-1 block font-mono text-label text-ink-2">{command}</code>
          </li>
        ))}
      </ul>
      {onAccept && !unknown && (
        <p className="mt-2">
          <Button busy={busy} onClick={onAccept}>
            Accept the terms
          </Button>
        </p>
      )}
    </Callout>
  )
}
