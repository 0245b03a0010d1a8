import { acm, type AcmMachine } from '@flotilla/contract/clouds/acm'
import { countText } from '@flotilla/contract/count-text'
import { messages } from '@flotilla/contract/messages'
import { call } from '../../../api/call'
import { useInvalidate } from '../../../api/query'
import type { BulkContext } from '../../../table/selection/use-bulk-run'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'

interface Props {
  machines: readonly AcmMachine[]
  bulk: BulkContext
  onClose: () => void
}

/** Confirms the release of machines. They are listed by name, because their current users lose them. */
export function ReleaseDialog({ machines, bulk, onClose }: Props) {
  const invalidate = useInvalidate()
  const release = () => {
    onClose()
    void bulk.run({
      doing: 'Releasing',
      done: (released) =>
        released === machines.length ? messages.nodesReleased : `${countText(released, 'machine')} released`,
      rows: machines,
      idOf: ({ id }) => id,
      nameOf: ({ hostname }) => hostname,
      act: async (part) => {
        const hostnames = part.map(({ hostname }) => hostname)
        await call(acm.releaseNodes, { body: { hostnames } }, { admin: true })
      },
      onEnd: () => invalidate([acm.machines, acm.shapes]),
    })
  }
  const count = countText(machines.length, 'machine')
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Release ${count}?`}
      confirmLabel={`Release ${count}`}
      onConfirm={release}
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
