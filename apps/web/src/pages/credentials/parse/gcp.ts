import type { Parsed } from './found'
import { present, problem } from './found'

/** Parses a service account's key file, which has the same field names as the contract. */
export function parseGcpJson(json: Record<string, unknown>): Parsed | null {
  if (json.type === 'authorized_user' || json.type === 'external_account')
    return problem(
      'This is a login for a person or an external account. Create a service account key instead: IAM & Admin > Service Accounts > Keys.',
    )
  if (json.type !== 'service_account' && !('private_key' in json && 'client_email' in json)) return null
  const texts = Object.entries(json).flatMap(([id, value]) =>
    typeof value === 'string' ? [[id, value]] : [],
  )
  const data = present(Object.fromEntries(texts))
  return { found: [{ provider: 'gcp', label: null, data }], problems: [] }
}
