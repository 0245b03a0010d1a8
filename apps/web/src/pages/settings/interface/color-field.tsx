import type { FieldValues } from 'react-hook-form'
import { FormField, type BoundProps } from '../../../forms/fields/fields'
import { Input } from '../../../ui/form/input'

/** A color as text, with a color picker. An empty field means the built-in color. */
export function ColorField<Values extends FieldValues, Output>({
  disabled,
  ...frame
}: BoundProps<Values, Output> & { disabled: boolean }) {
  return (
    <FormField {...frame} optional>
      {(field, aria) => (
        <div className="flex items-center gap-2">
          <input
            type="color"
            aria-label={`Pick: ${frame.label}`}
            disabled={disabled}
            value={/^#[0-9a-f]{6}$/i.test(field.value) ? field.value : '#3157d5'}
            onChange={field.onChange}
            className="h-8 w-10 shrink-0 rounded-control border border-line-2 bg-surface-2 p-0.5 disabled:opacity-60"
          />
          <Input
            type="text"
            {...aria}
            {...field}
            disabled={disabled}
            placeholder="Built-in"
            spellCheck={false}
            autoComplete="off"
          />
        </div>
      )}
    </FormField>
  )
}
