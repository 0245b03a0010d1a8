import { useId } from 'react'
import type { ReactNode } from 'react'
import { cx } from '../text/cx'
import { FieldError } from './field'

interface SwitchProps {
  label: ReactNode
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  onBlur?: () => void
  disabled?: boolean
  error?: string | undefined
  'aria-describedby'?: string | undefined
}

/** For settings that take effect immediately; in a form, use a checkbox. */
export function Switch({ label, hint, checked, onChange, onBlur, disabled, error, ...rest }: SwitchProps) {
  const id = useId()
  const described = [rest['aria-describedby'], error ? `${id}error` : null, hint ? `${id}hint` : null]
    .filter(Boolean)
    .join(' ')
  return (
    <span className="flex items-start gap-3">
      <button
        type="button"
        role="switch"
        aria-checked={checked}
        id={id}
        aria-labelledby={`${id}label`}
        aria-describedby={described || undefined}
        aria-invalid={error ? true : undefined}
        disabled={disabled}
        onClick={() => onChange(!checked)}
        onBlur={onBlur}
        className={cx(
          'relative mt-px h-[18px] w-8 shrink-0 rounded-full transition-colors disabled:opacity-60',
          checked ? 'bg-accent' : 'bg-line-3',
        )}
      >
        <span
          className={cx(
            'absolute top-0.5 left-0.5 size-3.5 rounded-full transition-transform',
            checked ? 'translate-x-3.5 bg-on-accent' : 'bg-surface-2',
          )}
        />
      </button>
      <span className="flex min-w-0 flex-col">
        <label id={`${id}label`} htmlFor={id} className="text-form">
          {label}
        </label>
        {error && <FieldError id={`${id}error`}>{error}</FieldError>}
        {hint && (
          <span id={`${id}hint`} className="text-label text-ink-3">
            {hint}
          </span>
        )}
      </span>
    </span>
  )
}
