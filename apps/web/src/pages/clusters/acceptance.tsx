import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster, LocalCluster } from '@flotilla/contract/clusters/entity'
import { useApiMutation } from '../../api/query'
import { paths, useGo } from '../../paths'
import { Button } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { Card } from '../../ui/layout/card'
import { KeyValue } from '../../ui/text/key-value'
import { notAcceptedReason } from './not-accepted'

function useDecision(cluster: LocalCluster) {
  const go = useGo()
  return useApiMutation(clusters.accept, {
    invalidates: [clusters.list, clusters.view, clusters.activities],
    // A declined cluster is no longer visible.
    onSuccess: ({ accepted }) => (accepted || !cluster.acceptance?.shared ? undefined : go(paths.clusters())),
  })
}

function titleOf({ name, owner, acceptance }: LocalCluster): string {
  if (acceptance?.changed) return `The connection to ${name} has changed`
  return acceptance?.shared ? `${owner} shared ${name} with you` : `${name} belongs to ${owner}`
}

/**
 * Requests the user's consent to the use of their account on a cluster whose owner is not an admin. Renders nothing
 * once the user has decided.
 */
export function AcceptanceRequest({ cluster }: { cluster: Cluster }) {
  return cluster.provider === 'local' && notAcceptedReason(cluster) !== null ? (
    <Request cluster={cluster} />
  ) : null
}

function Request({ cluster }: { cluster: LocalCluster }) {
  const decide = useDecision(cluster)
  const { owner, acceptance } = cluster
  const { head, hostKey } = cluster.data
  const connection = acceptance?.connection ?? null
  return (
    <Callout tone="amber" title={titleOf(cluster)}>
      <p className="max-w-180">
        {acceptance?.changed ? 'Accept it again to keep using it. ' : ''}
        Once you accept, your jobs, files and terminals run under your account on {head?.host}. {owner}, who
        is not an admin, chose that machine. Anyone who controls it can see and change what you do there, so
        accept only if you trust it.
        {acceptance?.shared && ' Declining removes the cluster from your list.'}
      </p>
      <div className="mt-1 max-w-180">
        <KeyValue
          items={[
            { label: 'Head node', value: head && `${head.host}, port ${head.port}` },
            {
              label: 'Login',
              value:
                head?.accounts === 'sudo'
                  ? `As you, using sudo from ${head.username}`
                  : 'As you, with your SSH key',
            },
            { label: 'Host key', value: hostKey && <span className="font-mono text-label">{hostKey}</span> },
          ]}
        />
      </div>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          variant="primary"
          busy={decide.isPending && decide.variables.body.accept}
          disabledReason={connection === null ? notAcceptedReason(cluster) : null}
          onClick={() =>
            connection !== null && decide.mutate({ id: cluster.id, body: { accept: true, connection } })
          }
        >
          Accept
        </Button>
        {acceptance?.shared && (
          <Button
            busy={decide.isPending && !decide.variables.body.accept}
            onClick={() => decide.mutate({ id: cluster.id, body: { accept: false } })}
          >
            Decline
          </Button>
        )}
      </div>
    </Callout>
  )
}

/** Lets the user withdraw their consent. */
export function AcceptedCard({ cluster }: { cluster: LocalCluster }) {
  const decide = useDecision(cluster)
  if (!cluster.acceptance?.accepted) return null
  return (
    <Card
      title="Your consent"
      description={
        cluster.acceptance.shared
          ? `You allowed the console to use your account on this cluster, which ${cluster.owner} owns. Declining also removes the cluster from your list.`
          : `You allowed the console to use your account on this cluster, which ${cluster.owner} owns.`
      }
      actions={
        <Button
          busy={decide.isPending}
          onClick={() => decide.mutate({ id: cluster.id, body: { accept: false } })}
        >
          {cluster.acceptance.shared ? 'Decline' : 'Withdraw'}
        </Button>
      }
    />
  )
}
