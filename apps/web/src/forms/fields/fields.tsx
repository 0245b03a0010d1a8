import type { ComponentProps, ReactNode } from 'react'
import { useController } from 'react-hook-form'
import type { ControllerRenderProps, FieldPath, FieldValues } from 'react-hook-form'
import { Checkbox } from '../../ui/form/checkbox'
import { Field } from '../../ui/form/field'
import type { ControlAria } from '../../ui/form/field'
import { Input, Select, Textarea } from '../../ui/form/input'
import { PasswordInput } from '../../ui/form/password-input'
import { SecretTextarea } from '../../ui/form/secret-textarea'
import { useFieldError } from '../use-field-error'
import type { ZodForm } from '../use-zod-form'

/** Props of every form field; the name is checked against the schema. */
export interface BoundProps<Values extends FieldValues, Output> {
  form: ZodForm<Values, Output>
  name: FieldPath<Values>
  label: string
  hint?: ReactNode
  optional?: boolean
  hideLabel?: boolean
  className?: string
}

type Bound<Values extends FieldValues> = ControllerRenderProps<Values, FieldPath<Values>>

interface FormFieldProps<Values extends FieldValues, Output> extends BoundProps<Values, Output> {
  children: (field: Bound<Values>, aria: ControlAria) => ReactNode
}

/** Label, hint, error and binding around the caller's control. All fields below use it. */
export function FormField<Values extends FieldValues, Output>({
  form,
  name,
  children,
  ...frame
}: FormFieldProps<Values, Output>) {
  const { field } = useController({ control: form.control, name })
  const error = useFieldError(form, name)
  return (
    <Field {...frame} error={errorText(error, field.value)}>
      {(aria) => children(field, aria)}
    </Field>
  )
}

/** The error message of a field. A list has the message of its first invalid entry, together with that entry. */
export function errorText(error: unknown, value: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if ('message' in error && typeof error.message === 'string') return error.message
  for (const [at, one] of Object.entries(error)) {
    const message = errorText(one, undefined)
    if (message !== undefined)
      return Array.isArray(value) ? `${String(value[Number(at)])}: ${message}` : message
  }
  return undefined
}

/** Separates the frame's props from the control's. */
function split<Values extends FieldValues, Output, Rest>(props: BoundProps<Values, Output> & Rest) {
  const { form, name, label, hint, optional, hideLabel, className, ...control } = props
  return { frame: { form, name, label, hint, optional, hideLabel, className }, control }
}

type Controls<Props> = Omit<
  Props,
  keyof BoundProps<FieldValues, unknown> | 'value' | 'defaultValue' | 'onChange' | 'onBlur' | 'id' | 'ref'
>

export function TextField<Values extends FieldValues, Output>(
  props: BoundProps<Values, Output> & Controls<ComponentProps<typeof Input>>,
) {
  const { frame, control } = split(props)
  return (
    <FormField {...frame}>
      {(field, aria) => <Input type="text" {...control} {...aria} {...field} value={field.value ?? ''} />}
    </FormField>
  )
}

/** Empty is null, so that a schema can tell it from 0. */
export function NumberField<Values extends FieldValues, Output>(
  props: BoundProps<Values, Output> & Controls<ComponentProps<typeof Input>>,
) {
  const { frame, control } = split(props)
  return (
    <FormField {...frame}>
      {(field, aria) => (
        <Input
          type="number"
          {...control}
          {...aria}
          {...field}
          value={field.value ?? ''}
          onChange={(event) => field.onChange(event.target.value === '' ? null : event.target.valueAsNumber)}
        />
      )}
    </FormField>
  )
}

export function PasswordField<Values extends FieldValues, Output>(
  props: BoundProps<Values, Output> & Controls<ComponentProps<typeof PasswordInput>>,
) {
  const { frame, control } = split(props)
  return (
    <FormField {...frame}>
      {(field, aria) => <PasswordInput {...control} {...aria} {...field} value={field.value ?? ''} />}
    </FormField>
  )
}

export function TextareaField<Values extends FieldValues, Output>(
  props: BoundProps<Values, Output> & Controls<ComponentProps<typeof Textarea>>,
) {
  const { frame, control } = split(props)
  return (
    <FormField {...frame}>
      {(field, aria) => <Textarea {...control} {...aria} {...field} value={field.value ?? ''} />}
    </FormField>
  )
}

/** A secret of several lines, such as a private key. */
export function SecretTextareaField<Values extends FieldValues, Output>(
  props: BoundProps<Values, Output> & Controls<ComponentProps<typeof SecretTextarea>>,
) {
  const { frame, control } = split(props)
  return (
    <FormField {...frame}>
      {(field, aria) => <SecretTextarea {...control} {...aria} {...field} value={field.value ?? ''} />}
    </FormField>
  )
}

export interface Option {
  value: string
  label: string
  disabled?: boolean
}

interface SelectFieldExtra {
  options: readonly Option[]
  /** The first option while nothing is selected. */
  placeholder?: string
  /** After the value was set, for fields that depend on it. */
  onChosen?: (value: string) => void
}

export function SelectField<Values extends FieldValues, Output>(
  props: BoundProps<Values, Output> &
    Omit<Controls<ComponentProps<typeof Select>>, 'children'> &
    SelectFieldExtra,
) {
  const { frame, control } = split(props)
  const { options, placeholder, onChosen, ...rest } = control
  return (
    <FormField {...frame}>
      {(field, aria) => (
        <Select
          {...rest}
          {...aria}
          {...field}
          value={field.value ?? ''}
          onChange={(event) => {
            field.onChange(event)
            onChosen?.(event.target.value)
          }}
        >
          {placeholder !== undefined && <option value="">{placeholder}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))}
        </Select>
      )}
    </FormField>
  )
}

/** The label is next to the box, the error below it. */
export function CheckboxField<Values extends FieldValues, Output>({
  form,
  name,
  label,
  hint,
  disabled,
}: BoundProps<Values, Output> & { disabled?: boolean }) {
  const { field, fieldState } = useController({ control: form.control, name })
  return (
    <Field
      label={label}
      hideLabel
      optional
      error={fieldState.error?.message}
      className="[&>label:first-child]:hidden"
    >
      {(aria) => (
        <Checkbox
          {...aria}
          label={label}
          hint={hint}
          disabled={disabled}
          ref={field.ref}
          name={field.name}
          checked={Boolean(field.value)}
          onChange={(event) => field.onChange(event.target.checked)}
          onBlur={field.onBlur}
        />
      )}
    </Field>
  )
}
