import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import type { ComponentProps } from 'react'
import { cx } from '../text/cx'
import { Glyph } from '../status/icon'
import { Textarea } from './input'

/** For a key with several lines: hidden like a password, with a button that shows it. */
export function SecretTextarea({ className, ...rest }: ComponentProps<typeof Textarea>) {
  const [shown, setShown] = useState(false)
  const isEmpty = rest.value === '' || rest.value === undefined
  return (
    <span className="relative block w-full">
      <Textarea
        spellCheck={false}
        autoComplete="off"
        {...rest}
        mono
        // The placeholder is no secret.
        className={cx('pr-10', !shown && !isEmpty && '[-webkit-text-security:disc]', className)}
      />
      <button
        type="button"
        aria-label="Show key"
        aria-pressed={shown}
        disabled={rest.disabled}
        onClick={() => setShown(!shown)}
        className="absolute top-1 right-1 flex size-8 items-center justify-center rounded-mark text-ink-3 transition-colors hover:bg-surface-3 hover:text-ink-1"
      >
        <Glyph icon={shown ? EyeOff : Eye} />
      </button>
    </span>
  )
}
