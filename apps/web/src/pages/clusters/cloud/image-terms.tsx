import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import type { ImageTerms } from '@flotilla/contract/clusters/terms'
import { useApiMutation } from '../../../api/query'
import { Button } from '../../../ui/button/button'
import { ExternalLink } from '../../../ui/button/link'
import { Callout } from '../../../ui/feedback/callout'
import { useAdminScope } from '../use-admin-scope'

/** Terms of marketplace images that the cloud account has to accept before it can be deployed. */
export function TermsNotice({ cluster, terms }: { cluster: CloudCluster; terms: readonly ImageTerms[] }) {
  const accept = useApiMutation(lifecycle.acceptTerms, {
    admin: useAdminScope(cluster),
    success: 'Terms accepted',
    invalidates: [lifecycle.plan],
  })
  if (terms.length === 0) return null
  const unknown = terms.every(({ accepted }) => accepted === null)
  return (
    <Callout
      tone="amber"
      title={
        unknown
          ? 'It is unknown whether the terms of the image have been accepted'
          : 'Accept the terms of the image before deploying'
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
      {cluster.mine && !unknown && (
        <p className="mt-2">
          <Button busy={accept.isPending} onClick={() => accept.mutate({ body: { id: cluster.id } })}>
            Accept the terms
          </Button>
        </p>
      )}
    </Callout>
  )
}
