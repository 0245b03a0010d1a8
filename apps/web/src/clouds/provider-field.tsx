import { valueAt } from '@flotilla/contract/clouds/field-limits'
import type { Field as Description, Provider } from '@flotilla/contract/clouds/providers'
import { useFormState, useWatch } from 'react-hook-form'
import type { FieldValues } from 'react-hook-form'
import { RadioField, SwitchField } from '../forms/fields/choice-fields'
import { PasswordField, SelectField, TextField, TextareaField } from '../forms/fields/fields'
import { NumberInUnits } from '../forms/fields/number-in-units'
import { TagsField } from '../forms/fields/tags-field'
import type { ZodForm } from '../forms/use-zod-form'
import { decidedBy, isShown } from './field-rules'
import { AccountField } from './account/account-field'
import type { AnyForm } from './form-place'
import { ImageField, OsTypeField, RegionField, SizeField, ZoneField } from './listed-fields'
import type { Frame } from './listed-fields'
import { RangesField } from './ranges-field'

export interface ProviderFieldProps<Input extends FieldValues, Output> {
  form: ZodForm<Input, Output>
  provider: Provider
  /** What the form describes. */
  of: 'cluster' | 'stack'
  /** Prefix of the path: empty, or a node group. */
  prefix?: string
  /** A secret is already stored, and is kept if the field stays empty. */
  stored?: boolean
  /** For deployed machines: the effect of an edit, and whether the field can be edited at all. */
  inUse?: ((field: Description) => { hint?: string; locked: boolean }) | undefined
}

/**
 * One field of the provider's description; hidden while another field's value makes it irrelevant, unless it has an
 * error.
 */
export function ProviderField<Input extends FieldValues, Output>(
  props: ProviderFieldProps<Input, Output> & { field: Description },
) {
  const { provider, field, prefix = '' } = props
  const form = props.form as unknown as AnyForm
  const deciding: unknown = useWatch({ control: form.control, name: decidedBy(field, prefix) ?? 'provider' })
  const { errors } = useFormState({ control: form.control })
  const wrong = valueAt(errors, prefix + field.path) !== undefined
  return wrong || isShown(field, deciding, provider) ? (
    <Shown {...props} form={form} prefix={prefix} field={field} />
  ) : null
}

interface ShownProps extends ProviderFieldProps<FieldValues, FieldValues> {
  field: Description
  prefix: string
}

function Shown({ form, provider, of, field, prefix, stored, inUse }: ShownProps) {
  const { hint, locked } = inUse?.(field) ?? { hint: undefined, locked: false }
  const help = [field.help, hint].filter(Boolean).join(' ') || undefined
  const frame = {
    form,
    name: prefix + field.path,
    label: field.label,
    // For a locked field, only the reason matters.
    hint: locked ? hint : help,
    optional: !field.required,
  }
  const chosenFrom = { ...frame, provider, of }
  const placeholder = field.placeholder
  switch (field.kind) {
    case 'switch':
      return <SwitchField {...frame} />
    case 'tags':
      return <TagsField {...frame} noun={field.label.toLowerCase()} />
    case 'ranges':
      return <RangesField {...frame} preset={provider.consoleRanges} placeholder={placeholder} />
    case 'textarea':
      return <TextareaField {...frame} mono rows={6} spellCheck={false} placeholder={placeholder} />
    case 'password':
      return (
        <PasswordField
          {...frame}
          hint={stored ? `${help ?? ''} Leave empty to keep the stored value.` : help}
          autoComplete="off"
        />
      )
    case 'number':
      return <NumberInUnits {...frame} field={field} />
    case 'choice':
      return <Choice {...frame} field={field} />
    case 'region':
      return <RegionField {...chosenFrom} locked={locked} />
    case 'zone':
      return <ZoneField {...chosenFrom} locked={locked} required={field.required ?? false} />
    case 'osType':
      return <OsTypeField {...chosenFrom} />
    case 'size':
      return <SizeField {...chosenFrom} {...{ placeholder, prefix }} sizes={field.sizes} />
    case 'image':
      return <ImageField {...chosenFrom} field={field} />
    case 'text':
      if (field.fromAccount && prefix === '') return <AccountField {...chosenFrom} field={field} />
      return <TextField {...frame} mono placeholder={placeholder} spellCheck={false} autoComplete="off" />
  }
}

const FEW = 4

/** A few required options are shown as cards with descriptions; everything else is a select. */
function Choice({ field: { choices = [], required }, ...frame }: Frame & { field: Description }) {
  if (!required || choices.length > FEW)
    return <SelectField {...frame} options={choices} {...(!required && { placeholder: 'Default' })} />
  return (
    <RadioField
      {...frame}
      columns={choices.length === 3 ? 3 : 2}
      options={choices.map(({ value, label }) => {
        const [first = label, ...more] = label.split(': ')
        const rest = more.join(': ')
        return { value, label: first, description: rest.charAt(0).toUpperCase() + rest.slice(1) || undefined }
      })}
    />
  )
}
