import { clusters } from '@flotilla/contract/clusters/clusters'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { KeyRound } from 'lucide-react'
import { download } from '../../../../api/download'
import { showError } from '../../../../api/errors'
import { paths } from '../../../../paths'
import { Button } from '../../../../ui/button/button'
import { Callout } from '../../../../ui/feedback/callout'
import { Card } from '../../../../ui/layout/card'
import { TextLink } from '../../../../ui/button/link'
import { PlacesCard } from './places-card'
import { SshSteps } from './ssh-steps'
import { TestConnection } from './test-connection'
import { UploadKey } from './upload-key'
import { useAdminScope } from '../../use-admin-scope'
import { OpenvpnProfile } from './openvpn-profile'

/** Explains how to connect to a cloud cluster. */
export default function CloudConnectionTab({ cluster }: { cluster: CloudCluster }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <HowToConnect cluster={cluster} />
      <Card
        title="OpenVPN"
        description="Access to the cluster’s network, including nodes and services without a public address."
      >
        {cluster.data.server.openvpn ? (
          <div className="flex flex-col gap-3 text-body text-ink-2">
            <p>OpenVPN is on. Open your personal profile with any OpenVPN client.</p>
            <OpenvpnProfile cluster={cluster} />
          </div>
        ) : (
          <p className="text-body text-ink-2">
            OpenVPN is off.{cluster.mine && ' Turn it on from the cluster’s menu.'}
          </p>
        )}
      </Card>
      <TestConnection cluster={cluster} />
      {cluster.mine && <ClusterKey cluster={cluster} />}
      <UploadKey cluster={cluster} />
      <PlacesCard cluster={cluster} />
    </div>
  )
}

function HowToConnect({ cluster }: { cluster: CloudCluster }) {
  const head = cluster.machines.find((machine) => machine.role === 'head')
  const host = head?.publicIp ?? head?.privateIp
  if (!host)
    return (
      <Card title="How to connect">
        <p className="text-body text-ink-2">The head node gets an address when the cluster is deployed.</p>
      </Card>
    )
  return (
    <SshSteps
      head={{ host, port: 22 }}
      account="with your own account, which the console creates on the cluster"
      connect="Connect"
      before={
        cluster.simulated && (
          <Callout tone="amber" title="Simulated">
            No machine has this address. The cluster’s nodes run jobs on the console’s own machine:{' '}
            <TextLink to={paths.cluster(cluster.id, 'terminal')}>open a terminal</TextLink> to get a shell
            there.
          </Callout>
        )
      }
    >
      {!head?.publicIp && 'The head node has no public address. Connect through OpenVPN or your own network.'}
    </SshSteps>
  )
}

function ClusterKey({ cluster }: { cluster: CloudCluster }) {
  const admin = useAdminScope(cluster)
  return (
    <Card
      title="Cluster key"
      actions={
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
      }
    >
      <p className="text-body text-ink-2">
        The console logs in with this key. Anyone who has it has full control of every machine.
      </p>
    </Card>
  )
}
