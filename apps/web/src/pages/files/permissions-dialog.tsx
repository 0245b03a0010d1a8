import { visibleName } from '@flotilla/contract/visible-name'
import { useId, useState, type FormEvent } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { Button } from '../../ui/button/button'
import { Checkbox } from '../../ui/form/checkbox'
import { Field } from '../../ui/form/field'
import { Input } from '../../ui/form/input'
import { Dialog } from '../../ui/overlay/dialog'
import { bitOf, bitsOf, bitsOfOctal, classes, octalOf, rights } from './permissions'

interface Props {
  names: readonly string[]
  /** As listed: rwxr-x---. */
  start: string
  /** Errors are shown in the dialog. */
  onSave: (permissions: number) => Promise<unknown>
  onClose: () => void
}

const titled = (word: string) => word[0]?.toUpperCase() + word.slice(1)

/** Who may read, write and execute files and folders. */
export function PermissionsDialog({ names, start, onSave, onClose }: Props) {
  const formId = useId()
  const [octal, setOctal] = useState(() => octalOf(bitsOf(start)))
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const typed = bitsOfOctal(octal)
  const bits = typed ?? 0
  const set = (value: string) => {
    setOctal(value)
    setError(null)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (typed === null) return setError('Enter three or four digits from 0 to 7, such as 644')
    setBusy(true)
    try {
      await onSave(typed)
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
      onClose={onClose}
      dismissable={!busy}
      title={
        names.length === 1
          ? `Permissions of ${visibleName(names[0] ?? '')}`
          : `Permissions of ${names.length} items`
      }
      footer={
        <>
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" form={formId} variant="primary" busy={busy}>
            Save
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event) => void submit(event)}
        className="flex flex-col gap-4 text-form"
      >
        <table className="w-full">
          <thead className="text-left text-label text-ink-3">
            <tr>
              <th scope="col" className="sr-only">
                Who
              </th>
              {rights.map((right) => (
                <th key={right} scope="col" className="py-1 font-medium">
                  {titled(right)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {classes.map((of) => (
              <tr key={of}>
                <th scope="row" className="py-1.5 pr-3 text-left font-normal">
                  {titled(of)}
                </th>
                {rights.map((right) => (
                  <td key={right} className="py-1.5">
                    <Checkbox
                      aria-label={`${titled(of)}: ${right}`}
                      checked={(bits & bitOf(of, right)) !== 0}
                      onChange={() => set(octalOf(bits ^ bitOf(of, right)))}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <Field label="Octal" error={error ?? undefined}>
          {(aria) => (
            <Input
              {...aria}
              mono
              value={octal}
              inputMode="numeric"
              maxLength={4}
              autoComplete="off"
              onChange={(event) => set(event.currentTarget.value.trim())}
            />
          )}
        </Field>
        <p className="text-label text-ink-3">Execute on a folder is the right to enter it.</p>
      </form>
    </Dialog>
  )
}
