import type { FieldPath, FieldValues } from 'react-hook-form'
import type { ZodForm } from './use-zod-form'

/** Field names of people's own words: 'firstName' in a message that has no field to stand at. */
const sentence = (field: string, message: string): string => `${field}: ${message}`

/**
 * Puts the server's complaints where they belong: at the field that is drawn, the rest (with the general message when
 * nothing else is said) at the head of the form. Never dropped.
 */
export function applyFieldErrors<Input extends FieldValues, Output>(
  form: ZodForm<Input, Output>,
  fields: Readonly<Record<string, string>>,
  message?: string,
): void {
  const unmatched: string[] = []
  let first = true
  for (const [field, text] of Object.entries(fields)) {
    const name = drawnField(form, field)
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

/** The form's own list of what is on screen: an error on a field nobody sees would be no error at all. */
function drawnField<Input extends FieldValues, Output>(
  form: ZodForm<Input, Output>,
  field: string,
): FieldPath<Input> | undefined {
  for (const name of form.control._names.mount) {
    if (name === field) return name as FieldPath<Input> // the set's type forgets that these are the form's paths
  }
  return undefined
}
