import { fail } from '../../fail'
import type { FoundTraining } from './store'

/** Rejects unknown addresses, so that no action on them appears to have succeeded. */
export function requireAll(emails: string[], found: { email: string }[], problem: string): void {
  const missing = emails.filter((email) => !found.some((one) => one.email === email))
  if (missing.length > 0) fail('bad_input', { fields: { userEmails: `${problem} ${missing.join(', ')}` } })
}

export const userIds = (found: { user_id: string | null }[]): string[] =>
  found.flatMap(({ user_id }) => user_id ?? [])

export function requireNotEnded({ ended_at }: Pick<FoundTraining, 'ended_at'>): void {
  if (ended_at) fail('wrong_state', { message: 'This workshop has ended' })
}
