import { valueAt } from '@flotilla/contract/clouds/field-limits'
import { useFormState } from 'react-hook-form'
import type { FieldPath, FieldValues } from 'react-hook-form'
import type { ZodForm } from './use-zod-form'

/** The error of a field or of its entries: `useController` misses an error that is set on an entry of a list. */
export function useFieldError<Values extends FieldValues, Output>(
  form: ZodForm<Values, Output>,
  name: FieldPath<Values>,
): unknown {
  const { errors } = useFormState({ control: form.control, name })
  return valueAt(errors, name)
}
