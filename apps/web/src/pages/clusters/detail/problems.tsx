import type { Cluster } from '@flotilla/contract/clusters/entity'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { paths } from '../../../paths'
import { useIsAdmin } from '../../../session/user'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { TextLink } from '../../../ui/link'
import { RelativeTime } from '../../../ui/relative-time'
import { notAcceptedReason } from '../acceptance'
import { ActionDialog } from '../action-dialog'
import { actions, whyNot } from '../cluster-actions'
import type { Action } from '../cluster-actions'
import { sentence } from '../cluster-words'
import { PlanButton } from '../plan-button'
import { stateFilter } from './state-filters'

/** What is wrong, each with its cause and the next step. Nothing when nothing is. */
export function Problems({ cluster }: { cluster: Cluster }) {
  const { info, freshness, nodes, whyNoSubmit, accountBlockedReason } = cluster
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
          {cause.more} The {link('logs', 'log')} has every step. {adviceFor(cluster)}{' '}
          {inCloud && <ToCredential id={cluster.credential_id} />}
          {inCloud && wasDestroyed(cluster) && cluster.mine && <DestroyButtons cluster={cluster} />}
        </Callout>
      )}
      {info.state !== 'failed' && info.cause !== null && (
        <Callout tone="amber" title={`The last action did not succeed: ${cause.what}`}>
          {cause.more} The cluster is as it was before, or in between. The {link('logs', 'log')} has every
          step; the next action takes this note away.
        </Callout>
      )}
      {inCloud && cluster.edited && info.state === 'available' && (
        <Callout tone="gray" title="Edited since it was deployed">
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
      {!inCloud && !cluster.data.pathsConfirmed && (
        <Callout tone="amber" title="The paths of this cluster are not in use">
          Its folder of commands or its slurm.conf was set by someone who is not an admin. To confirm them, an
          admin opens Edit, checks them and saves.
        </Callout>
      )}
      {whyNoSubmit !== null && info.state === 'available' && notAcceptedReason(cluster) === null && (
        <Callout
          tone="gray"
          title={
            accountBlockedReason === null
              ? 'You cannot submit jobs here'
              : 'You cannot run jobs, open terminals or use files here'
          }
        >
          {whyNoSubmit}
        </Callout>
      )}
    </>
  )
}

const wasDestroyed = ({ info }: Cluster): boolean =>
  info.failedAction === 'destroy' || info.failedAction === 'forceDestroy'

/** The way out, by what failed. */
function adviceFor(cluster: Cluster): string {
  if (cluster.provider === 'local')
    return 'Put the cause right and deploy again; if the cluster is lost, force destroy forgets it.'
  return wasDestroyed(cluster)
    ? 'Put the cause right and destroy it again; or force destroy it, which searches the cloud for what is left.'
    : 'Put the cause right and deploy again, which goes on from what is there; or destroy it. If that fails too, force destroy searches the cloud for what is left.'
}

/** Many a cause is a key that has expired or lacks a right; its page tells. */
function ToCredential({ id }: { id: string | null }) {
  if (!useIsAdmin() || id === null) return null
  return (
    <>
      If it is the credential,{' '}
      <TextLink to={paths.credentials()} search={{ edit: id }}>
        test it
      </TextLink>
      .
    </>
  )
}

const outs = ['destroy', 'forceDestroy'] as const

function DestroyButtons({ cluster }: { cluster: Cluster }) {
  const [asked, setAsked] = useState<Action | null>(null)
  return (
    <span className="mt-2 flex flex-wrap gap-2">
      {outs.map((action) => (
        <Button
          key={action}
          icon={actions[action].icon}
          disabledReason={whyNot(cluster, action)}
          onClick={() => setAsked(action)}
        >
          {action === 'destroy' ? 'Destroy again' : actions[action].label}
        </Button>
      ))}
      {asked && <ActionDialog cluster={cluster} action={asked} onClose={() => setAsked(null)} />}
    </span>
  )
}

/** The first sentence says what happened; what a cloud said about it can be long. */
function inParts(cause: string | null): { what: string | null; more: string } {
  const [what, ...more] = cause?.split(/(?<=\.) /) ?? []
  return { what: what ?? null, more: more.length > 0 ? sentence(more.join(' ')) : '' }
}
