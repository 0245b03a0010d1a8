import type { Provider } from '@flotilla/contract/clouds/providers'
import { useWatch } from 'react-hook-form'
import { Card } from '../../../ui/layout/card'
import { NoTorque } from '../../../clouds/no-torque'
import { FieldSet } from '../../../clouds/field-set'
import { lacksTorque, type StackForm, type StackValues } from './stack-values'

const steps = [
  { step: 'basics', title: 'Machine', description: 'What the image is built on.' },
  { step: 'software', title: 'Software', description: 'What goes into the image.' },
  { step: 'network', title: 'Network', description: 'Where the build machine runs.' },
  { step: 'advanced', title: 'Source', description: 'A different base image, and how to log in to it.' },
] as const

interface Props {
  form: StackForm
  provider: Provider
  stored: boolean
  hasScript: boolean
}

/** The provider's fields, grouped by topic. */
export function FieldCards({ form, provider, stored, hasScript }: Props) {
  // Border: the hook types the values as partial, but the form has all of them.
  const values = useWatch({ control: form.control }) as StackValues
  return steps.map(({ step, title, description }) => {
    const fields = provider.stackFields.filter((field) => field.step === step)
    if (fields.length === 0) return null
    return (
      <Card key={step} title={title} description={description}>
        <div className="flex flex-col gap-4">
          {step === 'software' && !hasScript && lacksTorque(provider, values) && (
            <NoTorque
              action="Build"
              onSlurm={() => form.setValue('data.manager', 'slurm', { shouldDirty: true })}
            >
              Add a provisioner script that installs it, or ask an admin to set a package source for it in
              Settings &gt; Cloud.
            </NoTorque>
          )}
          <FieldSet of="stack" {...{ form, provider, fields, stored }} />
        </div>
      </Card>
    )
  })
}
