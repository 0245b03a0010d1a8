import type { FieldValues } from 'react-hook-form'
import { Input } from '../../ui/form/input'
import { FormField } from './fields'
import type { BoundProps } from './fields'

interface DateTimeExtra {
  /** Milliseconds. */
  min?: number
  max?: number
  disabled?: boolean
}

/** The browser expects local time without a zone: '2024-05-01T09:30'. */
export function toLocalInput(at: number | null | undefined): string {
  if (at === null || at === undefined || Number.isNaN(at)) return ''
  const minutesEast = -new Date(at).getTimezoneOffset()
  return new Date(at + minutesEast * 60_000).toISOString().slice(0, 16)
}

export const fromLocalInput = (text: string): number | null => (text === '' ? null : new Date(text).getTime())

/** A time in the user's time zone; the value is in milliseconds, or null if empty. */
export function DateTimeField<Values extends FieldValues, Output>({
  min,
  max,
  disabled,
  ...frame
}: BoundProps<Values, Output> & DateTimeExtra) {
  return (
    <FormField {...frame}>
      {(field, aria) => (
        <Input
          type="datetime-local"
          {...aria}
          {...field}
          disabled={disabled}
          min={toLocalInput(min) || undefined}
          max={toLocalInput(max) || undefined}
          value={toLocalInput(field.value)}
          onChange={(event) => field.onChange(fromLocalInput(event.target.value))}
        />
      )}
    </FormField>
  )
}
