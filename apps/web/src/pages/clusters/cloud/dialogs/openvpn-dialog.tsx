import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import { messages } from '@flotilla/contract/messages'
import { useApiMutation } from '../../../../api/query'
import { ConfirmDialog } from '../../../../ui/confirm-dialog'
import { OpenvpnProfile } from '../openvpn-profile'
import { useChanges } from '../use-changes'

/** Turns the VPN of the head node on or off. */
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
      title={`OpenVPN of ${cluster.name}`}
      confirmLabel={on ? 'Turn OpenVPN off' : 'Turn OpenVPN on'}
      danger={on}
      // A refusal is told by the ERROR dialog; this one has then nothing more to ask.
      onConfirm={() =>
        change.mutateAsync({ body: { cluster: cluster.id, openvpn: !on } }).then(onClose, onClose)
      }
    >
      {on ? (
        <>
          <p>It is on: whoever has a profile reaches the network of the cluster through the head node.</p>
          <OpenvpnProfile cluster={cluster} />
          <p>Turning it off ends the connections that there are. Profiles work again when it is turned on.</p>
        </>
      ) : (
        <>
          <p>
            The head node then lets people into the network of the cluster, each with a profile of their own
            that they download here.
          </p>
          <p>Its firewall is opened for UDP port 1194. It costs nothing but the traffic.</p>
        </>
      )}
    </ConfirmDialog>
  )
}
