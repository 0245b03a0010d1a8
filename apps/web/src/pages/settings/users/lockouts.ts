import { users, type User } from '@flotilla/contract/people/users'
import { LockOpen } from 'lucide-react'
import { useApiMutation, useApiQuery } from '../../../api/query'
import type { MenuEntry } from '../../../ui/overlay/menu-entry'

/** The polling interval, because lockouts trigger no event. */
const EVERY_MS = 30_000
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** Users who are locked out after too many wrong passwords, and the menu entries that unlock them. */
export function useLockouts(): {
  isLockedOut: (user: User) => boolean
  lockoutEntries: (user: User) => MenuEntry[]
} {
  const found = useApiQuery(users.lockouts, {}, { everyMs: EVERY_MS }).data ?? []
  const lift = useApiMutation(users.liftLockout, {
    success: 'Lockout lifted',
    invalidates: [users.lockouts],
  })
  const of = (user: User) => found.filter(({ id }) => id === user.id)
  return {
    isLockedOut: (user) => of(user).length > 0,
    lockoutEntries(user) {
      const mine = of(user)
      const [first] = mine
      if (!first) return []
      const where = mine.some(({ network }) => network === null)
        ? ''
        : ` from ${mine.map(({ network }) => network).join(', ')}`
      const until = time.format(Math.max(...mine.map((one) => one.until)))
      return [
        { heading: `Too many wrong passwords${where}. Locked out until ${until}.` },
        { label: 'Lift lockout', icon: LockOpen, onSelect: () => lift.mutate({ id: user.id }) },
        'separator',
      ]
    },
  }
}
