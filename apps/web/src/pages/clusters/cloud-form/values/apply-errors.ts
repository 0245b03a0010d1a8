import type { Provider } from '@flotilla/contract/clouds/providers'
import { toApiError } from '@flotilla/client/api-error'
import { pathIn } from './cloud-values'
import type { CloudForm } from './cloud-values'
import { stepOf } from './field-rules'
import type { Step } from './field-rules'

/**
 * Shows server errors on their fields, on whatever step; errors without a field appear at the top. Returns the first
 * step with an error.
 */
export function applyErrors(form: CloudForm, provider: Provider, error: unknown): Step | null {
  const { fields, message } = toApiError(error)
  const named = Object.entries(fields)
  const unmatched: string[] = []
  let first: Step | null = null
  for (const [path, text] of named) {
    // An error about the groups as a whole belongs to none of them.
    const step = /^data\.node\.group\.\D/.test(path) ? null : stepOf(provider, path)
    if (step === null) unmatched.push(`${path}: ${text}`)
    else form.setError(pathIn(path), { type: 'server', message: text })
    first ??= step
  }
  if (unmatched.length > 0 || named.length === 0)
    form.setError('root.server', { type: 'server', message: unmatched.join('\n') || message })
  return first
}
