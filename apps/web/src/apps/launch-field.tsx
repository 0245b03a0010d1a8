import type { AppField } from '@flotilla/contract/apps/apps'
import { useController } from 'react-hook-form'
import { SelectField, TextField } from '../forms/fields/fields'
import { Switch } from '../ui/form/switch'
import type { LaunchForm } from './launch-form'

/** A field of an app's definition. Its value is text, whatever its kind. */
export function LaunchField({ form, field }: { form: LaunchForm; field: AppField }) {
  const shared = {
    form,
    name: `values.${field.name}`,
    label: field.label,
    ...(field.help && { hint: field.help }),
    optional: !field.required,
  } as const
  switch (field.kind) {
    case 'choice':
      return (
        <SelectField
          {...shared}
          options={field.options.map((value) => ({ value, label: value }))}
          {...(!field.required && { placeholder: 'None' })}
        />
      )
    case 'switch':
      return <SwitchValue form={form} field={field} />
    case 'number':
      return <TextField {...shared} inputMode="decimal" />
    case 'text':
      return <TextField {...shared} />
  }
}

function SwitchValue({ form, field }: { form: LaunchForm; field: AppField }) {
  const { field: bound } = useController({ control: form.control, name: `values.${field.name}` })
  return (
    <Switch
      label={field.label}
      {...(field.help && { hint: field.help })}
      checked={bound.value === 'true'}
      onChange={(on) => bound.onChange(String(on))}
      onBlur={bound.onBlur}
    />
  )
}
