import { acm, type AcmMachine } from '@flotilla/contract/clouds/acm'
import { messages } from '@flotilla/contract/messages'
import { useApiMutation } from '../../../api/query'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'

interface Props {
  machines: readonly AcmMachine[]
  onDone: () => void
  onClose: () => void
}

/** The current users lose these machines, so they are listed by name. */
export function ReleaseDialog({ machines, onDone, onClose }: Props) {
  const release = useApiMutation(acm.releaseNodes, {
    admin: true,
    success: messages.nodesReleased,
    invalidates: [acm.machines, acm.shapes],
    onSuccess: () => {
      onClose()
      onDone()
    },
  })
  const hostnames = machines.map(({ hostname }) => hostname)
  const count = machines.length === 1 ? '1 machine' : `${machines.length} machines`
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Release ${count}`}
      confirmLabel={`Release ${count}`}
      // A failure opens the ERROR dialog.
      onConfirm={() => release.mutateAsync({ body: { hostnames } }).catch(() => {})}
    >
      <p>
        They are shut down and become available to everyone. All data on their disks is lost, and clusters
        running on them lose those nodes.
      </p>
      <ul className="max-h-40 list-disc overflow-y-auto pl-5 font-mono">
        {machines.map(({ id, hostname, owner }) => (
          <li key={id}>
            {hostname}
            {owner && <span className="font-sans text-ink-3"> (owner: {owner})</span>}
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  )
}
