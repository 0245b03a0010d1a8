import type { Cluster } from '@flotilla/contract/clusters-entity'
import type { ReactNode } from 'react'
import { paths } from '../../../paths'
import { Callout } from '../../../ui/callout'
import { TextLink } from '../../../ui/link'
import { RelativeTime } from '../../../ui/relative-time'
import { sentence } from '../cluster-words'
import { PlanButton } from '../plan-button'
import { stateFilter } from './state-filters'

/** What is wrong, each with its cause and the next step. Nothing when nothing is. */
export function Problems({ cluster }: { cluster: Cluster }) {
  const { info, freshness, nodes, whyNoSubmit } = cluster
  const cause = inParts(info.cause)
  const inCloud = cluster.provider !== 'local'
  const link = (tab: string, words: string, search = {}): ReactNode => (
    <TextLink to={paths.cluster(cluster.id, tab)} search={search}>
      {words}
    </TextLink>
  )
  return (
    <>
      {info.state === 'failed' && (
        <Callout tone="red" title={cause.what ?? 'The last action failed'}>
          {cause.more} The {link('logs', 'log')} has every step.{' '}
          {inCloud
            ? 'Put the cause right and deploy again, which goes on from what is there; or destroy it. If that fails too, force destroy searches the cloud for what is left.'
            : 'Put the cause right and deploy again; if the cluster is lost, force destroy forgets it.'}
        </Callout>
      )}
      {info.state !== 'failed' && info.cause !== null && (
        <Callout tone="amber" title={`The last action did not succeed: ${cause.what}`}>
          {cause.more} The cluster is as it was before, or in between. The {link('logs', 'log')} has every
          step; the next action takes this note away.
        </Callout>
      )}
      {inCloud && cluster.edited && info.state === 'available' && (
        <Callout tone="grey" title="Edited since it was deployed">
          What was edited counts in the cloud once you apply it.{' '}
          {cluster.mine && (
            <span className="mt-2 block">
              <PlanButton cluster={cluster}>Plan it</PlanButton>
            </span>
          )}
        </Callout>
      )}
      {inCloud && cluster.burstPaused !== null && (
        <Callout tone="amber" title="No nodes are brought up by themselves">
          {sentence(cluster.burstPaused)} They can still be brought up by hand.
        </Callout>
      )}
      {freshness.error !== null && (
        <Callout
          tone="amber"
          title={
            <>
              Not reached since <RelativeTime at={freshness.errorSince} />: {freshness.error}
            </>
          }
        >
          What you see is old: data from <RelativeTime at={freshness.polledAt} />. We keep trying;{' '}
          {link('connection', 'test the connection')} to see where it stops.
        </Callout>
      )}
      {freshness.error === null && nodes.down > 0 && (
        <Callout tone="amber" title={nodes.down === 1 ? '1 node is down' : `${nodes.down} nodes are down`}>
          {link('nodes', 'See which and why', stateFilter('down'))}. Jobs that ran there may have been lost.
        </Callout>
      )}
      {whyNoSubmit !== null && info.state === 'available' && (
        <Callout tone="grey" title="You cannot submit jobs here">
          {whyNoSubmit}
        </Callout>
      )}
    </>
  )
}

/** The first sentence says what happened; what a cloud said about it can be long. */
function inParts(cause: string | null): { what: string | null; more: string } {
  const [what, ...more] = cause?.split(/(?<=\.) /) ?? []
  return { what: what ?? null, more: more.length > 0 ? sentence(more.join(' ')) : '' }
}
