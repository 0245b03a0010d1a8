import { valueAt } from '@flotilla/contract/field-limits'
import type { Field as Description, Provider } from '@flotilla/contract/providers'
import { useState } from 'react'
import { useFormState } from 'react-hook-form'
import { cx } from '../../../ui/cx'
import { DrawnField } from './drawn-field'
import type { CloudForm } from './drawn-field'

interface Props {
  form: CloudForm
  provider: Provider
  fields: readonly Description[]
  prefix?: string
  /** Secrets that are stored keep their place when nothing is typed. */
  stored?: boolean
  /** Machines exist: what an edit means for them is said at the field. */
  deployed?: boolean
}

/** What needs the whole width; everything else stands two by two. */
const isWide = ({ kind, required }: Description): boolean =>
  kind === 'size' ||
  kind === 'image' ||
  kind === 'textarea' ||
  kind === 'tags' ||
  (kind === 'choice' && required === true)

/** The fields of one step or one group: first those that everybody needs, the others folded away. */
export function FieldSet({ fields, ...props }: Props) {
  const { form, prefix = '' } = props
  const first = fields.filter(({ advanced }) => !advanced)
  const more = fields.filter(({ advanced }) => advanced)
  const grid = (list: readonly Description[]) => (
    <div className="grid gap-x-4 gap-y-4 sm:grid-cols-2">
      {list.map((field) => (
        // A field that is not drawn leaves no hole.
        <div key={field.path} className={cx('min-w-0 empty:hidden', isWide(field) && 'sm:col-span-2')}>
          <DrawnField {...props} field={field} />
        </div>
      ))}
    </div>
  )
  return (
    <div className="flex flex-col gap-4">
      {first.length > 0 && grid(first)}
      {more.length > 0 && (
        <More form={form} paths={more.map(({ path }) => prefix + path)}>
          {grid(more)}
        </More>
      )}
    </div>
  )
}

/** Opens by itself when something in it is wrong. */
function More(props: { form: CloudForm; paths: readonly string[]; children: React.ReactNode }) {
  const { form, paths, children } = props
  const [open, setOpen] = useState(false)
  const { errors } = useFormState({ control: form.control })
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
