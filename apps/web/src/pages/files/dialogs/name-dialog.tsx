import { useId, useState, type FormEvent } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { Button } from '../../../ui/button/button'
import { Dialog } from '../../../ui/overlay/dialog'
import { Field } from '../../../ui/form/field'
import { Input } from '../../../ui/form/input'
import { nameProblem } from '../places'

interface Props {
  title: string
  label: string
  confirmLabel: string
  start?: string
  /** Names that already exist in the folder. */
  taken: readonly string[]
  /** Called with the name. Errors are shown on the field. */
  onName: (name: string) => Promise<unknown>
  onClose: () => void
}

/** Prompts for the name of a new folder or file, or for a new name. */
export function NameDialog({ title, label, confirmLabel, start = '', taken, onName, onClose }: Props) {
  const formId = useId()
  const [name, setName] = useState(start)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const others = taken.filter((one) => one !== start)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const problem = nameProblem(name, others)
    if (problem !== null) return setError(problem)
    if (name === start) return onClose()
    setBusy(true)
    try {
      await onName(name)
    } catch (thrown) {
      setError(toApiError(thrown).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      size="s"
      title={title}
      onClose={onClose}
      dismissable={!busy}
      footer={
        <>
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" form={formId} variant="primary" busy={busy}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => void submit(event)}>
        <Field label={label} error={error ?? undefined}>
          {(aria) => (
            <Input
              {...aria}
              value={name}
              onChange={(event) => {
                setName(event.currentTarget.value)
                setError(null)
              }}
              onFocus={(event) => event.currentTarget.setSelectionRange(0, stemLength(start))}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
}

/** The length of a name without its extension, which users rarely change. */
const stemLength = (name: string): number => {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? dot : name.length
}
