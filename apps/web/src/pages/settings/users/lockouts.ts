import { users, type User } from '@flotilla/contract/people/users'
import { LockOpen } from 'lucide-react'
import { useApiMutation, useApiQuery } from '../../../api/query'
import type { MenuEntry } from '../../../ui/overlay/menu-entry'

/** A lockout begins without a change that anyone announces. */
const EVERY_MS = 30_000
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** Who cannot log in after too many wrong passwords, and the way to let them in again. */
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
