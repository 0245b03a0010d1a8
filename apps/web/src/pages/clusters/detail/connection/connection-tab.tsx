import { mayAccess } from '@flotilla/contract/access'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { users } from '@flotilla/contract/people/users'
import type { LocalCluster } from '@flotilla/contract/clusters/entity'
import { Activity, KeyRound } from 'lucide-react'
import { OwnPublicKey } from '../../../../account/own-public-key'
import { download } from '../../../../api/download'
import { useApiMutation } from '../../../../api/query'
import { showError } from '../../../../api/errors'
import { paths } from '../../../../paths'
import { useUser } from '../../../../session/user'
import { Button } from '../../../../ui/button/button'
import { Card } from '../../../../ui/layout/card'
import { PublicKey } from '../../../../ui/text/public-key'
import { TextLink } from '../../../../ui/button/link'
import { AcceptedCard } from '../../acceptance'
import { useAdminScope } from '../../use-admin-scope'
import { HostKey } from './host-key'
import { PlacesCard } from './places-card'
import { SshSteps } from './ssh-steps'
import { TestConnection } from './test-connection'
import { TestResult } from './test-result'
import { UploadKey } from './upload-key'

export function ConnectionTab({ cluster }: { cluster: LocalCluster }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <HowToConnect cluster={cluster} />
      <TestConnection cluster={cluster} />
      {cluster.mine && <TestAdmin cluster={cluster} />}
      <HostKey cluster={cluster} />
      {cluster.data.head?.key === 'cluster' && cluster.data.publicKey && <ClusterKey cluster={cluster} />}
      <UploadKey cluster={cluster} />
      <PlacesCard cluster={cluster} />
      <AcceptedCard cluster={cluster} />
    </div>
  )
}

function HowToConnect({ cluster }: { cluster: LocalCluster }) {
  const { head } = cluster.data
  const { role, unixAccount } = useUser()
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
      login={unixAccount}
      connect={unixAccount ? 'Connect' : 'Connect. If your account name there is different, use that name'}
    >
      {head.accounts === 'sudo'
        ? `The console uses sudo from ${head.username} to act as your account there.`
        : 'The console uses your key to reach your account there. Your public key must be in its authorized_keys:'}
      {head.accounts === 'key' && mayAccess(users.publicKey.access, role) && <OwnPublicKey />}
    </SshSteps>
  )
}

/** Tests the connection of the cluster account, which the console uses to query nodes and jobs. */
function TestAdmin({ cluster }: { cluster: LocalCluster }) {
  const test = useApiMutation(clusters.test, { admin: useAdminScope(cluster), invalidates: [clusters.logs] })
  return (
    <Card
      title="Cluster account"
      description="Tests the account that the console uses to monitor this cluster, including the resource manager."
      actions={
        <Button
          icon={Activity}
          busy={test.isPending}
          onClick={() => test.mutate({ beside: { id: cluster.id } })}
        >
          Test cluster account
        </Button>
      }
    >
      <TestResult test={test} />
    </Card>
  )
}

function ClusterKey({ cluster }: { cluster: LocalCluster }) {
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
      <p className="text-body text-ink-2">
        The administrator of {head.host} adds this line to <code>~{head.username}/.ssh/authorized_keys</code>:
      </p>
      <PublicKey text={publicKey} />
    </Card>
  )
}
