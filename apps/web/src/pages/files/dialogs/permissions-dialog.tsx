import type { FileEntry } from '@flotilla/contract/jobs/files'
import { visibleName } from '@flotilla/contract/visible-name'
import { useId, useState, type FormEvent } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { Button } from '../../../ui/button/button'
import { Checkbox } from '../../../ui/form/checkbox'
import { Field } from '../../../ui/form/field'
import { Input } from '../../../ui/form/input'
import { Dialog } from '../../../ui/overlay/dialog'
import type { PermitOptions } from '../permissions/use-change-permissions'
import { bitOf, bitsOf, bitsOfOctal, classes, octalOf, rights } from '../permissions/permissions'

interface Props {
  entries: readonly FileEntry[]
  /** Changes the permissions. Errors are shown in the dialog. */
  onSave: (permissions: number, options: PermitOptions) => Promise<unknown>
  onClose: () => void
}

const number = new Intl.NumberFormat()

const titled = (word: string) => word[0]?.toUpperCase() + word.slice(1)

/** Edits who may read, write and execute files and folders. */
export function PermissionsDialog({ entries, onSave, onClose }: Props) {
  const formId = useId()
  const names = entries.map(({ name }) => name)
  const hasFolder = entries.some(({ type }) => type === 'folder')
  const [inside, setInside] = useState(false)
  /** The number of entries changed so far, and the controller that stops the change. */
  const [running, setRunning] = useState<{ changed: number; stop: AbortController } | null>(null)
  const [octal, setOctal] = useState(() => octalOf(bitsOf(entries[0]?.permissions ?? '')))
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
    const stop = new AbortController()
    if (inside) setRunning({ changed: 0, stop })
    try {
      await onSave(typed, {
        inside,
        signal: stop.signal,
        onProgress: (changed) => setRunning({ changed, stop }),
      })
    } catch (thrown) {
      setError(toApiError(thrown).message)
    } finally {
      setBusy(false)
      setRunning(null)
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
          ? `Permissions for ${visibleName(names[0] ?? '')}`
          : `Permissions for ${names.length} items`
      }
      footer={
        <>
          {running && (
            <span role="status" className="mr-auto self-center text-body text-ink-2 tabular-nums">
              {running.stop.signal.aborted ? 'Stopping' : `${number.format(running.changed)} changed`}
            </span>
          )}
          {running ? (
            <Button
              onClick={() => {
                running.stop.abort()
                setRunning({ ...running })
              }}
            >
              Stop
            </Button>
          ) : (
            <Button onClick={onClose} disabled={busy}>
              Cancel
            </Button>
          )}
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
                  <td key={right} className="py-1.5 align-middle leading-none">
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
        <p className="text-label text-ink-3">On a folder, Execute allows entering it.</p>
        {hasFolder && (
          <Checkbox
            label="Also change everything inside"
            hint="Files inside get Execute only if they already have it. Links are not changed."
            checked={inside}
            disabled={busy}
            onChange={(event) => setInside(event.currentTarget.checked)}
          />
        )}
      </form>
    </Dialog>
  )
}
