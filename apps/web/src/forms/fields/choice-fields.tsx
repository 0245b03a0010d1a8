import { useId } from 'react'
import { useController } from 'react-hook-form'
import type { FieldValues } from 'react-hook-form'
import { Checkbox } from '../../ui/form/checkbox'
import { FieldError } from '../../ui/form/field'
import { RadioCards } from '../../ui/form/radio-cards'
import type { RadioCard } from '../../ui/form/radio-cards'
import { Switch } from '../../ui/form/switch'
import type { BoundProps, Option } from './fields'

export function SwitchField<Values extends FieldValues, Output>({
  form,
  name,
  label,
  hint,
  disabled,
}: BoundProps<Values, Output> & { disabled?: boolean }) {
  const { field, fieldState } = useController({ control: form.control, name })
  return (
    <Switch
      error={fieldState.error?.message}
      label={label}
      hint={hint}
      checked={Boolean(field.value)}
      onChange={field.onChange}
      onBlur={field.onBlur}
      disabled={disabled}
    />
  )
}

interface RadioFieldExtra {
  options: readonly RadioCard<string>[]
  columns?: 1 | 2 | 3
}

export function RadioField<Values extends FieldValues, Output>({
  form,
  name,
  label,
  hint,
  hideLabel,
  options,
  columns,
}: BoundProps<Values, Output> & RadioFieldExtra) {
  const { field, fieldState } = useController({ control: form.control, name })
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <RadioCards
        legend={label}
        hideLegend={hideLabel}
        name={name}
        value={field.value ?? null}
        onChange={field.onChange}
        onBlur={field.onBlur}
        options={options}
        columns={columns}
        aria-invalid={fieldState.invalid}
        aria-describedby={describedBy(id, fieldState.error?.message, hint)}
      />
      <Beneath id={id} error={fieldState.error?.message} hint={hint} />
    </div>
  )
}

interface ChoicesFieldExtra {
  options: readonly (Option & { hint?: string })[]
  columns?: 1 | 2 | 3
}

const grid = { 1: 'grid-cols-1', 2: 'sm:grid-cols-2', 3: 'sm:grid-cols-2 lg:grid-cols-3' }

/** Any number of a fixed set; the value is a list of strings. */
export function ChoicesField<Values extends FieldValues, Output>(
  props: BoundProps<Values, Output> & ChoicesFieldExtra,
) {
  const { form, name, label, hint, optional, options, columns = 1 } = props
  const { field, fieldState } = useController({ control: form.control, name })
  const id = useId()
  const chosen: readonly string[] = field.value ?? []
  const toggle = (value: string, on: boolean) =>
    // The values have the order of the options, whatever the order of the clicks.
    field.onChange(
      options.map((option) => option.value).filter((one) => (one === value ? on : chosen.includes(one))),
    )
  return (
    <fieldset
      aria-describedby={describedBy(id, fieldState.error?.message, hint)}
      className="flex min-w-0 flex-col gap-1.5"
    >
      <legend className="mb-1.5 text-body font-medium">
        {label}
        {optional && <span className="ml-1.5 font-normal text-ink-3">optional</span>}
      </legend>
      <div className={`grid gap-x-4 gap-y-2 ${grid[columns]}`}>
        {options.map((option, at) => (
          <Checkbox
            key={option.value}
            ref={at === 0 ? field.ref : undefined}
            label={option.label}
            hint={option.hint}
            disabled={option.disabled}
            aria-invalid={fieldState.invalid || undefined}
            checked={chosen.includes(option.value)}
            onChange={(event) => toggle(option.value, event.target.checked)}
            onBlur={field.onBlur}
          />
        ))}
      </div>
      <Beneath id={id} error={fieldState.error?.message} hint={hint} />
    </fieldset>
  )
}

const describedBy = (id: string, error: string | undefined, hint: unknown): string | undefined =>
  [error ? `${id}error` : null, hint ? `${id}hint` : null].filter(Boolean).join(' ') || undefined

function Beneath({
  id,
  error,
  hint,
}: {
  id: string
  error: string | undefined
  hint: BoundProps<FieldValues, unknown>['hint']
}) {
  return (
    <>
      {error && <FieldError id={`${id}error`}>{error}</FieldError>}
      {hint && (
        <p id={`${id}hint`} className="text-label text-ink-3">
          {hint}
        </p>
      )}
    </>
  )
}
