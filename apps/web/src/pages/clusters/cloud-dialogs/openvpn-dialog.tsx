import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import { messages } from '@flotilla/contract/messages'
import { useApiMutation } from '../../../api/query'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { OpenvpnProfile } from '../detail/connection/openvpn-profile'
import { useChanges } from './use-changes'

/** Turns the head node's VPN on or off. */
export function OpenvpnDialog({ cluster, onClose }: { cluster: CloudCluster; onClose: () => void }) {
  const on = cluster.data.server.openvpn
  const change = useApiMutation(lifecycle.setOpenvpn, {
    ...useChanges(cluster),
    success: messages.openvpnInitiated,
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`OpenVPN for ${cluster.name}`}
      confirmLabel={on ? 'Turn OpenVPN off' : 'Turn OpenVPN on'}
      danger={on}
      // A failure opens the ERROR dialog; this one then closes.
      onConfirm={() =>
        change.mutateAsync({ body: { cluster: cluster.id, openvpn: !on } }).then(onClose, onClose)
      }
    >
      {on ? (
        <>
          <p>OpenVPN is on. Anyone with a profile can reach the cluster’s network through the head node.</p>
          <OpenvpnProfile cluster={cluster} />
          <p>Turning it off ends all connections. Profiles work again when you turn it back on.</p>
        </>
      ) : (
        <>
          <p>
            The head node gives users access to the cluster’s network. Each user downloads a personal profile
            here.
          </p>
          <p>UDP port 1194 is opened in its firewall. You pay only for traffic.</p>
        </>
      )}
    </ConfirmDialog>
  )
}
