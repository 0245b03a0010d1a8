import type { Provider } from '@flotilla/contract/clouds/providers'
import { toApiError } from '@flotilla/client/api-error'
import { pathIn } from './cloud-values'
import type { CloudForm } from './cloud-values'
import { stepOf } from './field-rules'
import type { Step } from './field-rules'

/**
 * Puts what the server refused at its field, on whatever step that is; what has no field in this form stands at its
 * head. Answers the first step that has something to look at.
 */
export function applyErrors(form: CloudForm, provider: Provider, error: unknown): Step | null {
  const { fields, message } = toApiError(error)
  const named = Object.entries(fields)
  const unmatched: string[] = []
  let first: Step | null = null
  for (const [path, text] of named) {
    // A refusal of all groups names none of them.
    const step = /^data\.node\.group\.\D/.test(path) ? null : stepOf(provider, path)
    if (step === null) unmatched.push(`${path}: ${text}`)
    else form.setError(pathIn(path), { type: 'server', message: text })
    first ??= step
  }
  if (unmatched.length > 0 || named.length === 0)
    form.setError('root.server', { type: 'server', message: unmatched.join('\n') || message })
  return first
}
