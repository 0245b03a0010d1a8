import { useId, useState } from 'react'
import type { FormEvent } from 'react'
import { Button } from '../../../../ui/button/button'
import { Dialog } from '../../../../ui/overlay/dialog'
import { Field } from '../../../../ui/form/field'
import { Input } from '../../../../ui/form/input'

interface Props {
  nodes: readonly string[]
  onDrain: (reason: string) => Promise<void>
  onClose: () => void
}

/** Drains nodes. The reason that the user enters is shown to everyone who can see the node. */
export function DrainDialog({ nodes, onDrain, onClose }: Props) {
  const formId = useId()
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!reason.trim() || busy) return
    setBusy(true)
    await onDrain(reason)
    onClose()
  }
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      dismissable={!busy}
      title={`Drain ${nodes.length === 1 ? nodes[0] : `${nodes.length} nodes`}`}
      description="Running jobs finish. No new jobs start until the node is resumed."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={busy}
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
