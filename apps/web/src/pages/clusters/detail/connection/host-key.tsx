import { clusters } from '@flotilla/contract/clusters/clusters'
import type { HostKeys, LocalCluster } from '@flotilla/contract/clusters/entity'
import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import type * as z from 'zod/mini'
import { useApiMutation } from '../../../../api/query'
import { Button } from '../../../../ui/button/button'
import { Card } from '../../../../ui/layout/card'
import { Dialog } from '../../../../ui/overlay/dialog'
import { KeyValue } from '../../../../ui/text/key-value'
import { useAdminScope } from '../../use-admin-scope'

type Compared = z.infer<typeof HostKeys>

/** Shows the key that identifies the head node, and lets the owner accept a new key after a reinstall. */
export function HostKey({ cluster }: { cluster: LocalCluster }) {
  const { head, hostKey } = cluster.data
  const [compared, setCompared] = useState<Compared | null>(null)
  const compare = useApiMutation(clusters.hostKey, { admin: useAdminScope(cluster), onSuccess: setCompared })
  if (!head) return null
  return (
    <Card
      title="Host key"
      description={`Identifies ${head.host}. The console does not connect to a machine with a different key.`}
      actions={
        <Button
          icon={Fingerprint}
          busy={compare.isPending}
          disabledReason={cluster.mine ? null : `Only the owner, ${cluster.owner}, can do this`}
          onClick={() => compare.mutate({ id: cluster.id })}
        >
          Compare
        </Button>
      }
    >
      <p className="font-mono text-label wrap-anywhere text-ink-2">
        {hostKey ?? 'None yet. It is saved on the first connection.'}
      </p>
      {compared && (
        <CompareDialog
          cluster={cluster}
          host={head.host}
          compared={compared}
          onClose={() => setCompared(null)}
        />
      )}
    </Card>
  )
}

interface Props {
  cluster: LocalCluster
  host: string
  compared: Compared
  onClose: () => void
}

function CompareDialog({ cluster, host, compared: { known, shown }, onClose }: Props) {
  const accept = useApiMutation(clusters.acceptHostKey, {
    admin: useAdminScope(cluster),
    success: 'Host key accepted',
    invalidates: [clusters.view, clusters.list, clusters.activities],
  })
  const same = known === shown
  return (
    <Dialog
      open
      onClose={onClose}
      dismissable={!accept.isPending}
      title={same ? `${host} presents the trusted key` : `${host} presents a different key`}
      footer={
        <>
          <Button onClick={onClose} data-autofocus>
            {same ? 'Close' : 'Keep the old key'}
          </Button>
          {!same && (
            <Button
              variant="danger"
              busy={accept.isPending}
              // A failure opens the ERROR dialog. This dialog then closes, because the comparison is outdated.
              onClick={() =>
                void accept
                  .mutateAsync({ id: cluster.id, body: { fingerprint: shown } })
                  .then(onClose, onClose)
              }
            >
              Accept the new key
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3 text-body text-ink-2">
        <KeyValue
          items={[
            { label: 'Trusted key', value: known && <Print>{known}</Print> },
            { label: 'Presented key', value: <Print>{shown}</Print> },
          ]}
        />
        {!same && (
          <p>
            Either the machine was reinstalled, or someone is intercepting the connection. Ask the
            administrator of {host} for the fingerprint (<code>ssh-keygen -lf</code> on its host key shows
            it), and accept the new key only if it matches exactly.
          </p>
        )}
      </div>
    </Dialog>
  )
}

const Print = ({ children }: { children: string }) => (
  <span className="font-mono text-label wrap-anywhere text-ink-1">{children}</span>
)
