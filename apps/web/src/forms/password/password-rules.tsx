import { PASSWORD_MIN } from '@flotilla/contract/limits'
import { Check, Circle } from 'lucide-react'
import { cx } from '../../ui/text/cx'

/** The contract's rule for new passwords, split into parts that are checked off while typing. */
export const passwordRules: readonly { label: string; holds: (password: string) => boolean }[] = [
  { label: `At least ${PASSWORD_MIN} characters`, holds: (password) => password.length >= PASSWORD_MIN },
  { label: 'A lowercase letter', holds: (password) => /[a-z]/.test(password) },
  { label: 'An uppercase letter', holds: (password) => /[A-Z]/.test(password) },
  { label: 'A digit', holds: (password) => /\d/.test(password) },
  { label: 'One of !@#$%^&*', holds: (password) => /[!@#$%^&*]/.test(password) },
]

export function PasswordRules({ password }: { password: string }) {
  return (
    <ul aria-label="Password requirements" className="m-0 grid list-none gap-x-4 gap-y-1 p-0 sm:grid-cols-2">
      {passwordRules.map(({ label, holds }) => {
        const held = holds(password)
        const Icon = held ? Check : Circle
        return (
          <li
            key={label}
            className={cx('flex items-center gap-2 text-label', held ? 'text-green' : 'text-ink-2')}
          >
            <Icon aria-hidden size={12} strokeWidth={held ? 2.5 : 1.75} className="shrink-0" />
            <span>
              {label}
              <span className="sr-only">{held ? ' (met)' : ' (not met)'}</span>
            </span>
          </li>
        )
      })}
    </ul>
  )
}
