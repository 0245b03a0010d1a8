import type { Field, Provider } from '@flotilla/contract/providers'
import { useState, type ReactNode } from 'react'
import { useFormState, useWatch } from 'react-hook-form'
import { Card } from '../../../ui/card'
import { NoTorque } from '../../../clouds/no-torque'
import { DrawnField } from './drawn-field'
import { isShown, lacksTorque, type StackForm, type StackValues } from './stack-values'

const steps = [
  { step: 'basics', title: 'Machine', description: 'What the image is built on.' },
  { step: 'software', title: 'Software', description: 'What goes into the image.' },
  { step: 'network', title: 'Network', description: 'Where the machine runs while it is built.' },
  { step: 'advanced', title: 'Source', description: 'Another image to begin with, and how to log in to it.' },
] as const

interface Props {
  form: StackForm
  provider: Provider
  stored: boolean
  hasScript: boolean
}

/** The provider's own fields, by what they are about. */
export function FieldCards({ form, provider, stored, hasScript }: Props) {
  // Border: all of the form's values, which the hook types as if some could be missing.
  const values = useWatch({ control: form.control }) as StackValues
  const shown = provider.stackFields.filter((field) => isShown(field, values, provider))
  return steps.map(({ step, title, description }) => {
    const fields = shown.filter((field) => field.step === step)
    if (fields.length === 0) return null
    const first = fields.filter(({ advanced }) => !advanced)
    const more = fields.filter(({ advanced }) => advanced)
    const grid = (list: Field[]) => (
      <div className="grid items-start gap-x-4 gap-y-4 sm:grid-cols-2">
        {list.map((field) => (
          <DrawnField key={field.path} {...{ form, provider, field, stored }} />
        ))}
      </div>
    )
    return (
      <Card key={step} title={title} description={description}>
        <div className="flex flex-col gap-4">
          {step === 'software' && !hasScript && lacksTorque(provider, values) && (
            <NoTorque
              deed="Build"
              onSlurm={() => form.setValue('data.manager', 'slurm', { shouldDirty: true })}
            >
              Add a provisioner script that installs it, or ask an admin to set a package source for it under
              Settings, Cloud.
            </NoTorque>
          )}
          {grid(first)}
          {more.length > 0 && (
            <More form={form} paths={more.map(({ path }) => path)}>
              {grid(more)}
            </More>
          )}
        </div>
      </Card>
    )
  })
}

/** Opens by itself when something in it is wrong. */
function More({ form, paths, children }: { form: StackForm; paths: string[]; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const { errors } = useFormState({ control: form.control })
  const wrong = paths.some((path) => {
    let at: unknown = errors
    for (const key of path.split('.'))
      at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined
    return at !== undefined
  })
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
