import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import type { ComponentProps } from 'react'
import { cx } from '../text/cx'
import { Glyph } from '../status/icon'
import { Input } from './input'

/** A password input with a button to show it. */
export function PasswordInput({
  className,
  ...rest
}: Omit<ComponentProps<typeof Input>, 'type' | 'icon' | 'mono'>) {
  const [shown, setShown] = useState(false)
  return (
    <span className="relative block w-full">
      <Input
        autoComplete="current-password"
        autoCapitalize="none"
        spellCheck={false}
        {...rest}
        type={shown ? 'text' : 'password'}
        className={cx('pr-10', className)}
      />
      <button
        type="button"
        aria-label="Show password"
        aria-pressed={shown}
        disabled={rest.disabled}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-1 right-1 flex w-8 items-center justify-center rounded-mark text-ink-3 transition-colors hover:bg-surface-3 hover:text-ink-1"
      >
        <Glyph icon={shown ? EyeOff : Eye} />
      </button>
    </span>
  )
}
