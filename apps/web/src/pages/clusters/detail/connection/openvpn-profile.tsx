import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import { FileDown } from 'lucide-react'
import { download } from '../../../../api/download'
import { showError } from '../../../../api/errors'
import { Button } from '../../../../ui/button/button'

/** Downloads the user's own VPN profile. Anyone with the file can access the cluster's network. */
export function OpenvpnProfile({ cluster }: { cluster: CloudCluster }) {
  const file = `${cluster.name.replaceAll(' ', '-')}.ovpn`
  return (
    <div>
      <Button
        icon={FileDown}
        disabledReason={cluster.info.state === 'available' ? null : 'The cluster must be available'}
        onClick={() => void download(lifecycle.openvpnProfile, { id: cluster.id }, file).catch(showError)}
      >
        Download your profile
      </Button>
    </div>
  )
}
