import { valueAt } from '@flotilla/contract/clouds/field-limits'
import type { Field as Description } from '@flotilla/contract/clouds/providers'
import { useState } from 'react'
import { useFormState } from 'react-hook-form'
import type { Control, FieldValues } from 'react-hook-form'
import { cx } from '../ui/text/cx'
import { ProviderField } from './provider-field'
import type { ProviderFieldProps } from './provider-field'

interface Props<Input extends FieldValues, Output> extends ProviderFieldProps<Input, Output> {
  fields: readonly Description[]
}

/** Fields that need the full width; all others are shown two per row. */
const isWide = ({ kind, required }: Description): boolean =>
  kind === 'size' ||
  kind === 'image' ||
  kind === 'textarea' ||
  kind === 'tags' ||
  kind === 'ranges' ||
  (kind === 'choice' && required === true)

/** The fields of one step or group: common ones first, advanced ones collapsed. */
export function FieldSet<Input extends FieldValues, Output>({ fields, ...props }: Props<Input, Output>) {
  const { form, prefix = '' } = props
  const first = fields.filter(({ advanced }) => !advanced)
  const more = fields.filter(({ advanced }) => advanced)
  const grid = (list: readonly Description[]) => (
    <div className="grid gap-x-4 gap-y-4 sm:grid-cols-2">
      {list.map((field) => (
        // A hidden field leaves no gap.
        <div key={field.path} className={cx('min-w-0 empty:hidden', isWide(field) && 'sm:col-span-2')}>
          <ProviderField {...props} field={field} />
        </div>
      ))}
    </div>
  )
  return (
    <div className="flex flex-col gap-4">
      {first.length > 0 && grid(first)}
      {more.length > 0 && (
        <More control={form.control} paths={more.map(({ path }) => prefix + path)}>
          {grid(more)}
        </More>
      )}
    </div>
  )
}

interface MoreProps<Input extends FieldValues, Output> {
  control: Control<Input, unknown, Output>
  paths: readonly string[]
  children: React.ReactNode
}

/** Opens automatically when a field in it is invalid. */
function More<Input extends FieldValues, Output>({ control, paths, children }: MoreProps<Input, Output>) {
  const [open, setOpen] = useState(false)
  const { errors } = useFormState({ control })
  const wrong = paths.some((path) => valueAt(errors, path) !== undefined)
  return (
    <details
      open={open || wrong}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="rounded-control border border-line-1"
    >
      <summary className="px-3 py-2 text-body font-medium">More</summary>
      <div className="border-t border-line-1 p-3">{children}</div>
    </details>
  )
}
