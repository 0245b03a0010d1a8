import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { useId, useState } from 'react'
import type { FormEvent } from 'react'
import { useApiMutation } from '../../../../api/query'
import { Button } from '../../../../ui/button/button'
import { Dialog } from '../../../../ui/overlay/dialog'
import { Field } from '../../../../ui/form/field'
import { Input } from '../../../../ui/form/input'
import { notices } from '../../../../ui/feedback/notices-store'
import { useAdminScope } from '../../use-admin-scope'
import { batches } from '../batches'
import { nodesChange, someNodes } from './use-resume'

/** The reason is shown to everyone who wonders why the node takes no jobs. */
export function DrainDialog(props: { cluster: Cluster; nodes: readonly string[]; onClose: () => void }) {
  const { cluster, nodes, onClose } = props
  const formId = useId()
  const [reason, setReason] = useState('')
  const drain = useApiMutation(clusters.drain, {
    admin: useAdminScope(cluster),
    invalidates: nodesChange,
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!reason.trim()) return
    try {
      for (const part of batches(nodes))
        await drain.mutateAsync({ id: cluster.id, body: { nodes: part, reason } })
    } catch {
      // Reported by the ERROR dialog.
      return
    }
    notices.success(`${someNodes(nodes)} drained`)
    onClose()
  }
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      dismissable={!drain.isPending}
      title={`Drain ${nodes.length === 1 ? nodes[0] : `${nodes.length} nodes`}`}
      description="Running jobs finish. No new jobs start until the node is resumed."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={drain.isPending}
            disabledReason={reason.trim() ? null : 'Enter a reason first'}
          >
            Drain
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => void submit(event)}>
        <Field label="Reason" hint="Shown with the node to everyone who uses the cluster.">
          {(aria) => (
            <Input
              {...aria}
              data-autofocus
              maxLength={200}
              value={reason}
              placeholder="Memory errors, ticket 4711"
              onChange={(event) => setReason(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
}
