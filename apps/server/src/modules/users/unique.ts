import { isDuplicate } from '../../db/connection/rejected'
import { Failure } from '../../fail'
import { isSameAccount } from '../../schedulers/scheduler'

/** Only admins learn which of them is taken, because others could find out who has an account. */
export const duplicateEntry = (fields?: Record<string, string>) =>
  new Failure('duplicate_entry', { ...(fields && { fields }), extras: { reason: 'duplicateEntry' } })
const taken = {
  username: 'This username is already taken',
  unixAccount: 'This account belongs to another user',
  email: 'This email address is already taken',
}
export function takenFields(
  found: { username: string; unix_account: string | null },
  wanted: { username?: string | undefined; unixAccount?: string | null | undefined },
): Record<string, string> {
  const isName = (name?: string | null) =>
    name && [found.username, found.unix_account ?? ''].some((one) => isSameAccount(name, one))
  const field = isName(wanted.username) ? 'username' : isName(wanted.unixAccount) ? 'unixAccount' : 'email'
  return { [field]: taken[field] }
}

/** Usernames and addresses are unique in the database, where the second of two concurrent requests fails. */
export async function unique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw isDuplicate(error) ? duplicateEntry() : error
  }
}
