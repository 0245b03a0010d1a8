import { mayAccess } from '@flotilla/contract/access'
import { clusters } from '@flotilla/contract/clusters/clusters'
import type { LocalCluster } from '@flotilla/contract/clusters/entity'
import { Activity, KeyRound } from 'lucide-react'
import { download } from '../../../../api/download'
import { useApiMutation } from '../../../../api/query'
import { showError } from '../../../../api/errors'
import { paths } from '../../../../paths'
import { useUser } from '../../../../session/user'
import { Button } from '../../../../ui/button/button'
import { Callout } from '../../../../ui/feedback/callout'
import { Card } from '../../../../ui/layout/card'
import { CopyText } from '../../../../ui/text/copy-text'
import { TextLink } from '../../../../ui/button/link'
import { AcceptedCard } from '../../acceptance'
import { Diagnosis } from '../../diagnosis'
import { useAdminScope } from '../../use-admin-scope'
import { HostKey } from './host-key'
import { SshSteps } from './ssh-steps'
import { UploadKey } from './upload-key'

export function ConnectionTab({ cluster }: { cluster: LocalCluster }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <HowToConnect cluster={cluster} />
      <Test cluster={cluster} />
      <HostKey cluster={cluster} />
      {cluster.data.head?.key === 'cluster' && cluster.data.publicKey && <PublicKey cluster={cluster} />}
      <UploadKey cluster={cluster} />
      <AcceptedCard cluster={cluster} />
    </div>
  )
}

function HowToConnect({ cluster }: { cluster: LocalCluster }) {
  const { head } = cluster.data
  if (!head) {
    return (
      <Card title="How to connect">
        <p className="text-body text-ink-2">
          This cluster is the machine that the console runs on.{' '}
          <TextLink to={paths.cluster(cluster.id, 'terminal')}>Open a terminal</TextLink> to get a shell on it
          as yourself; no key is needed.
        </p>
      </Card>
    )
  }
  return (
    <SshSteps
      head={head}
      account="with your own account"
      connect="Connect. If your account name there is different, use that name"
    >
      {head.accounts === 'sudo'
        ? `The console uses sudo from ${head.username} to act as your account there.`
        : 'The console uses your key to reach your account there. Your public key must be in its authorized_keys.'}
    </SshSteps>
  )
}

function Test({ cluster }: { cluster: LocalCluster }) {
  const test = useApiMutation(clusters.test, { admin: useAdminScope(cluster), invalidates: [clusters.logs] })
  const blockedReason = cluster.mine ? null : `Only the owner, ${cluster.owner}, can do this`
  return (
    <Card
      title="Diagnosis"
      description="Tests every step to the resource manager and shows where it fails."
      actions={
        <Button
          icon={Activity}
          busy={test.isPending}
          disabledReason={blockedReason}
          onClick={() => test.mutate({ beside: { id: cluster.id } })}
        >
          Test connection
        </Button>
      }
    >
      {test.error ? (
        <Callout tone="red" title={test.error.message} alert />
      ) : test.data || test.isPending ? (
        <Diagnosis steps={test.data} busy={test.isPending} />
      ) : (
        <p className="text-body text-ink-3">Not tested since this page was opened.</p>
      )}
    </Card>
  )
}

function PublicKey({ cluster }: { cluster: LocalCluster }) {
  const { head, publicKey } = cluster.data
  const { role } = useUser()
  const admin = useAdminScope(cluster)
  if (!head || !publicKey) return null
  return (
    <Card
      title="Cluster key"
      description={`The console uses this key to log in to ${head.host} as ${head.username}.`}
      actions={
        cluster.mine &&
        mayAccess(clusters.downloadSshKey.access, role) && (
          <Button
            icon={KeyRound}
            onClick={() =>
              void download(clusters.downloadSshKey, { id: cluster.id }, `${cluster.name}.pem`, {
                admin,
              }).catch(showError)
            }
          >
            Download private key
          </Button>
        )
      }
    >
      <p className="mb-2 text-body text-ink-2">
        The administrator of {head.host} adds this line to <code>~{head.username}/.ssh/authorized_keys</code>:
      </p>
      <div className="rounded-control border border-line-1 bg-surface-1 px-3 py-2">
        <CopyText label="public key" text={publicKey} />
      </div>
    </Card>
  )
}
