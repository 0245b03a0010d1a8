import { countText } from '@flotilla/contract/count-text'
import type { CloudCluster, Cluster } from '@flotilla/contract/clusters/entity'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { paths } from '../../../paths'
import { useIsAdmin } from '../../../session/user'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { TextLink } from '../../../ui/button/link'
import { RelativeTime } from '../../../ui/text/relative-time'
import { notAcceptedReason } from '../not-accepted'
import { ActionDialog } from '../actions/action-dialog'
import { actions, actionBlockedReason } from '../actions/cluster-actions'
import type { Action } from '../actions/cluster-actions'
import { failureEffect, sentence, vanishedAdvice } from '../cluster-text'
import { PlanButton } from '../actions/plan-button'
import { stateFilter } from './state-filters'

/** The cluster's problems, each with its cause and the next step. */
export function Problems({ cluster }: { cluster: Cluster }) {
  const { info, freshness, nodes, submitBlockedReason, accountBlockedReason } = cluster
  const cause = inParts(info.cause)
  const inCloud = cluster.provider !== 'local'
  const link = (tab: string, text: string, search = {}): ReactNode => (
    <TextLink to={paths.cluster(cluster.id, tab)} search={search}>
      {text}
    </TextLink>
  )
  return (
    <>
      {info.state === 'failed' && (
        <Callout tone="red" title={cause.what ?? 'The last action failed'}>
          {cause.more && <p className="mb-2">{cause.more}</p>}
          <p>
            {adviceFor(cluster)} See the {link('logs', 'log')} for every step.{' '}
            {inCloud && <ToCredential id={cluster.credential_id} />}
          </p>
          {inCloud && wasDestroyed(cluster) && cluster.mine && <DestroyButtons cluster={cluster} />}
        </Callout>
      )}
      {info.state !== 'failed' && info.cause !== null && (
        <Callout tone="amber" title={`The last action failed: ${cause.what}`}>
          {cause.more} {failureEffect(cluster)}See the {link('logs', 'log')} for every step. The next action
          clears this message.
        </Callout>
      )}
      {inCloud && cluster.edited && info.state === 'available' && (
        <Callout tone="gray" title="Edited since it was deployed">
          Your edits take effect in the cloud when you apply them.{' '}
          {cluster.mine && (
            <span className="mt-2 block">
              <PlanButton cluster={cluster}>Plan changes</PlanButton>
            </span>
          )}
        </Callout>
      )}
      {inCloud && cluster.drift > 0 && <Drift cluster={cluster} link={link} />}
      {inCloud && cluster.burstPaused !== null && (
        <Callout tone="amber" title="Automatic bursting is paused">
          {sentence(cluster.burstPaused)} You can still deploy nodes manually.
        </Callout>
      )}
      {freshness.error !== null && (
        <Callout
          tone="amber"
          title={
            <>
              Unreachable since <RelativeTime at={freshness.errorSince} />: {freshness.error}
            </>
          }
        >
          This data is out of date, from <RelativeTime at={freshness.polledAt} />. The console keeps trying;{' '}
          {link('connection', 'test the connection')} to see where it fails.
        </Callout>
      )}
      {cluster.hiddenJobs !== null && (
        <Callout tone="gray" title="Some of this cluster’s jobs are not shown">
          {cluster.hiddenJobs}
        </Callout>
      )}
      {freshness.error === null && nodes.down > 0 && (
        <Callout tone="amber" title={nodes.down === 1 ? '1 node is down' : `${nodes.down} nodes are down`}>
          {link('nodes', 'See which ones and why', stateFilter('down'))}. Jobs running there may have been
          lost.
        </Callout>
      )}
      {!inCloud && !cluster.data.pathsConfirmed && (
        <Callout tone="amber" title="This cluster’s custom paths are not in use">
          Its command folder or slurm.conf was set by someone who is not an admin. An admin must open Edit,
          check the paths and save to confirm them.
        </Callout>
      )}
      {submitBlockedReason !== null && info.state === 'available' && notAcceptedReason(cluster) === null && (
        <Callout
          tone="gray"
          title={
            accountBlockedReason === null
              ? 'You cannot submit jobs here'
              : 'You cannot run jobs, open terminals or use files here'
          }
        >
          {sentence(submitBlockedReason)}
        </Callout>
      )}
    </>
  )
}

/** Reports changes in the cloud that were not made by the console. */
function Drift({ cluster, link }: { cluster: CloudCluster; link: (tab: string, text: string) => ReactNode }) {
  const vanished = cluster.machines.filter(({ vanishedAt }) => vanishedAt !== undefined)
  const vanishedNames = vanished.map(({ name }) => name)
  return vanishedNames.length > 0 ? (
    <Callout
      tone="amber"
      title={`${vanishedNames.join(', ')} no longer ${vanishedNames.length === 1 ? 'exists' : 'exist'} in the cloud`}
    >
      Removed outside the console, or reclaimed by the cloud.{' '}
      {vanishedAdvice(vanished, cluster.info.bursting.mode)}
    </Callout>
  ) : (
    <Callout tone="amber" title="Changed in the cloud">
      The {link('plan', 'last plan')} found {countText(cluster.drift, 'difference')} not made in the console.
      Apply changes to undo {cluster.drift === 1 ? 'it' : 'them'}.
    </Callout>
  )
}

const wasDestroyed = ({ info }: Cluster): boolean =>
  info.failedAction === 'destroy' || info.failedAction === 'forceDestroy'

/** The next step after a failed action. */
function adviceFor(cluster: Cluster): string {
  if (cluster.provider === 'local')
    return 'Fix the cause and deploy again. If the cluster no longer exists, force destroy it.'
  return wasDestroyed(cluster)
    ? 'Fix the cause and destroy the cluster again, or force destroy it to find and remove what is left in the cloud.'
    : 'Fix the cause and deploy again to continue from what exists, or destroy the cluster. If that also fails, force destroy it to find and remove what is left in the cloud.'
}

/** Links to the credential, because the cause is often a key that has expired or lacks a permission. */
function ToCredential({ id }: { id: string | null }) {
  if (!useIsAdmin() || id === null) return null
  return (
    <>
      If you suspect the credential,{' '}
      <TextLink to={paths.credentials()} search={{ edit: id }}>
        test it
      </TextLink>
      .
    </>
  )
}

const destroyActions = ['destroy', 'forceDestroy'] as const

function DestroyButtons({ cluster }: { cluster: Cluster }) {
  const [openDialog, setOpenDialog] = useState<Action | null>(null)
  return (
    <span className="mt-2 flex flex-wrap gap-2">
      {destroyActions.map((action) => (
        <Button
          key={action}
          icon={actions[action].icon}
          disabledReason={actionBlockedReason(cluster, action)}
          onClick={() => setOpenDialog(action)}
        >
          {action === 'destroy' ? 'Destroy again' : actions[action].label}
        </Button>
      ))}
      {openDialog && (
        <ActionDialog cluster={cluster} action={openDialog} onClose={() => setOpenDialog(null)} />
      )}
    </span>
  )
}

/** Splits off the first sentence, which states what happened. The rest is the cloud's own message, often long. */
function inParts(cause: string | null): { what: string | null; more: string } {
  const [what, ...more] = cause?.split(/(?<=\.) /) ?? []
  return { what: what ?? null, more: more.length > 0 ? sentence(more.join(' ')) : '' }
}
