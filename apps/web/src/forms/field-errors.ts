import type { FieldPath, FieldValues } from 'react-hook-form'
import type { ZodForm } from './use-zod-form'

/** Prefixes the message with the field's name when the field is not on screen. */
const sentence = (field: string, message: string): string => `${field}: ${message}`

/**
 * Shows server errors on their fields, and the rest (or the general message) at the top of the form. No error is
 * dropped.
 */
export function applyFieldErrors<Input extends FieldValues, Output>(
  form: ZodForm<Input, Output>,
  fields: Readonly<Record<string, string>>,
  message?: string,
): void {
  const unmatched: string[] = []
  let first = true
  for (const [field, text] of Object.entries(fields)) {
    const name = mountedField(form, field)
    if (!name) {
      unmatched.push(sentence(field, text))
      continue
    }
    form.setError(name, { type: 'server', message: text }, { shouldFocus: first })
    first = false
  }
  const general = unmatched.length > 0 ? unmatched.join('\n') : first ? message : undefined
  if (general) form.setError('root.server', { type: 'server', message: general })
}

/** The form's own list of mounted fields: an error on a hidden field would go unnoticed. */
function mountedField<Input extends FieldValues, Output>(
  form: ZodForm<Input, Output>,
  field: string,
): FieldPath<Input> | undefined {
  for (const name of form.control._names.mount) {
    if (name === field) return name as FieldPath<Input> // the set's type forgets that these are the form's paths
  }
  return undefined
}
