import { valueAt } from '@flotilla/contract/clouds/field-limits'
import { TAGS_MAX } from '@flotilla/contract/limits'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { useController } from 'react-hook-form'
import { useFieldError } from '../../../../forms/use-field-error'
import { Button, IconButton } from '../../../../ui/button/button'
import { FieldError } from '../../../../ui/form/field'
import { Input } from '../../../../ui/form/input'
import type { CloudForm } from '../values/cloud-values'
import { pathsWithErrors } from '../values/field-rules'

type Row = { name: string; value: string }

/** Tags on every cloud resource of the cluster. */
export function TagRows({ form }: { form: CloudForm }) {
  const { field } = useController({ control: form.control, name: 'data.tags' })
  const error = useFieldError(form, 'data.tags')
  // While the user types, two rows may have the same name, which the value cannot represent.
  const [rows, setRows] = useState<readonly Row[]>(() =>
    Object.entries(field.value).map(([name, value]) => ({ name, value })),
  )
  const change = (next: readonly Row[]) => {
    setRows(next)
    field.onChange(
      Object.fromEntries(next.filter(({ name }) => name !== '').map((row) => [row.name, row.value])),
    )
  }
  const set = (at: number, part: Partial<Row>) =>
    change(rows.map((row, index) => (index === at ? { ...row, ...part } : row)))
  const twice = rows.find(({ name }, at) => name !== '' && rows.findIndex((row) => row.name === name) !== at)
  const full = rows.length >= TAGS_MAX ? `A cluster can have at most ${TAGS_MAX} tags` : null
  const wrong = pathsWithErrors(error).map((path) => {
    const message = valueAt(error, path === '' ? 'message' : `${path}.message`)
    return path === '' ? String(message) : `${path}: ${String(message)}`
  })
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 text-body font-medium">
        Tags <span className="font-normal text-ink-3">optional</span>
      </legend>
      <p className="text-label text-ink-3">
        Added to every cloud resource of the cluster, in addition to the console’s own tags. Use them for
        billing and search.
      </p>
      {rows.map((row, at) => (
        // The index is a stable key: rows are never reordered, and names may be incomplete.
        <div key={at} className="grid grid-cols-[1fr_1fr_auto] gap-2">
          <Input
            aria-label={`Name of tag ${at + 1}`}
            mono
            placeholder="cost_center"
            value={row.name}
            spellCheck={false}
            autoComplete="off"
            onBlur={field.onBlur}
            onChange={({ target }) => set(at, { name: target.value })}
          />
          <Input
            aria-label={`Value of tag ${at + 1}`}
            value={row.value}
            autoComplete="off"
            onBlur={field.onBlur}
            onChange={({ target }) => set(at, { value: target.value })}
          />
          <IconButton
            label={`Remove tag ${row.name || at + 1}`}
            icon={X}
            onClick={() => change(rows.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {twice && (
        <FieldError id="tags-twice">The tag {twice.name} appears twice. The last value is used.</FieldError>
      )}
      {wrong.map((text) => (
        <FieldError key={text} id={`tags-${text}`}>
          {text}
        </FieldError>
      ))}
      <div>
        <Button icon={Plus} disabledReason={full} onClick={() => change([...rows, { name: '', value: '' }])}>
          Add a tag
        </Button>
      </div>
    </fieldset>
  )
}
