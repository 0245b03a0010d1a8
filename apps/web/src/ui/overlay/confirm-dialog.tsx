import { useId, useState } from 'react'
import type { FormEvent, ReactNode } from 'react'
import { Button } from '../button/button'
import { Dialog } from './dialog'
import { Field } from '../form/field'
import { Input } from '../form/input'

interface ConfirmDialogProps {
  open: boolean
  onClose: () => void
  title: ReactNode
  /** What is lost and what it costs, in plain language. */
  children: ReactNode
  /** The verb: 'Delete cluster', never 'OK'. */
  confirmLabel: string
  /** The label for keeping things as they are, if 'Cancel' could be mistaken for the action itself. */
  keepLabel?: string
  /** While its promise is pending, the dialog stays open and shows progress; a rejection leaves it open. */
  onConfirm: () => void | Promise<unknown>
  /** The name that must be typed first, for irreversible actions. */
  typeToConfirm?: string
  /** What must load before the user can confirm, such as the price. */
  waitsFor?: string | null
  danger?: boolean
  /** Small, unless there is a table to show. */
  size?: 's' | 'm' | 'l'
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  return props.open ? <OpenConfirmDialog {...props} /> : null
}

function OpenConfirmDialog({
  onClose,
  title,
  children,
  confirmLabel,
  keepLabel = 'Cancel',
  onConfirm,
  typeToConfirm,
  waitsFor = null,
  danger = true,
  size = 's',
}: ConfirmDialogProps) {
  const form = useId()
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const missing = typeToConfirm !== undefined && typed.trim() !== typeToConfirm

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (missing || waitsFor !== null || busy) return
    setBusy(true)
    try {
      await onConfirm()
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      size={size}
      dismissable={!busy}
      footer={
        <>
          <Button
            onClick={onClose}
            disabled={busy}
            data-autofocus={typeToConfirm === undefined ? '' : undefined}
          >
            {keepLabel}
          </Button>
          <Button
            type="submit"
            form={form}
            variant={danger ? 'danger' : 'primary'}
            busy={busy}
            disabledReason={missing ? `Type ${typeToConfirm} to confirm` : waitsFor}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <div className="flex flex-col gap-2 text-body text-ink-2">{children}</div>
        {typeToConfirm !== undefined && (
          <Field
            label={
              <>
                Type <strong className="font-mono font-semibold">{typeToConfirm}</strong> to confirm
              </>
            }
          >
            {(aria) => (
              <Input
                {...aria}
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                mono
              />
            )}
          </Field>
        )}
      </form>
    </Dialog>
  )
}
