import type { Field as Description } from '@flotilla/contract/clouds/providers'
import { useController } from 'react-hook-form'
import type { FieldValues } from 'react-hook-form'
import { Checkbox } from '../../ui/form/checkbox'
import { Input } from '../../ui/form/input'
import { FormField, type BoundProps } from './fields'

interface Props<Values extends FieldValues, Output> extends BoundProps<Values, Output> {
  field: Pick<Description, 'unit' | 'min' | 'max' | 'zero'>
}

/** May be empty while typing; an empty field becomes 0, which means not set unless `zero` gives another meaning. */
export function NumberInUnits<Values extends FieldValues, Output>({
  field: { unit, min, max, zero },
  ...frame
}: Props<Values, Output>) {
  const { field: chosen } = useController({ control: frame.form.control, name: frame.name })
  const off = zero !== undefined && chosen.value === 0
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <FormField {...frame} optional={false}>
        {(field, aria) => (
          <span className="relative block">
            <Input
              {...aria}
              {...field}
              type="number"
              min={min}
              max={max}
              className={unit ? 'pr-18' : undefined}
              disabled={off}
              value={typeof field.value === 'number' && !off ? field.value : ''}
              onBlur={() => {
                if (field.value === null) field.onChange(0)
                field.onBlur()
              }}
              onChange={({ target }) => field.onChange(target.value === '' ? null : target.valueAsNumber)}
            />
            {unit && (
              <span className="pointer-events-none absolute top-1.5 right-3 text-label leading-5 text-ink-3">
                {unit}
              </span>
            )}
          </span>
        )}
      </FormField>
      {zero && (
        <Checkbox
          label={zero.label}
          checked={off}
          onChange={({ target }) => chosen.onChange(target.checked ? 0 : zero.otherwise)}
        />
      )}
    </div>
  )
}
