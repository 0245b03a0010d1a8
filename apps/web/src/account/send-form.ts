import type { FieldValues } from 'react-hook-form'
import { toApiError } from '@flotilla/client/api-error'
import { applyFieldErrors } from '../forms/field-errors'
import type { ZodForm } from '../forms/use-zod-form'

/** Submits a form and shows server errors on it. */
export async function sendForm<Input extends FieldValues, Output>(
  form: ZodForm<Input, Output>,
  sent: Promise<unknown>,
): Promise<void> {
  try {
    await sent
  } catch (error) {
    const { fields, message } = toApiError(error)
    applyFieldErrors(form, fields, message)
  }
}
