import { CircleAlert } from 'lucide-react'
import { useId } from 'react'
import type { ReactNode } from 'react'
import { cx } from '../text/cx'
import { Glyph } from '../status/icon'

/** Attributes that connect the control to its label, hint and error. */
export interface ControlAria {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  'aria-required': true | undefined
}

interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  /** Most fields are required; optional ones say so. */
  optional?: boolean | undefined
  hideLabel?: boolean | undefined
  id?: string | undefined
  className?: string | undefined
  children: (aria: ControlAria) => ReactNode
}

export function Field({ label, hint, error, optional, hideLabel, id, className, children }: FieldProps) {
  const own = useId()
  const controlId = id ?? own
  const described = [error ? `${controlId}-error` : null, hint ? `${controlId}-hint` : null].filter(Boolean)
  return (
    <div className={cx('flex min-w-0 flex-col gap-1.5', className)}>
      <label htmlFor={controlId} className={hideLabel ? 'sr-only' : 'w-fit text-body font-medium'}>
        {label}
        {optional && <span className="ml-1.5 font-normal text-ink-3">optional</span>}
      </label>
      {children({
        id: controlId,
        'aria-describedby': described.join(' ') || undefined,
        'aria-invalid': error ? true : undefined,
        'aria-required': optional ? undefined : true,
      })}
      {error && <FieldError id={`${controlId}-error`}>{error}</FieldError>}
      {hint && (
        <p id={`${controlId}-hint`} className="text-label text-pretty text-ink-3">
          {hint}
        </p>
      )}
    </div>
  )
}

export function FieldError({ id, children }: { id: string; children: ReactNode }) {
  return (
    <p id={id} className="flex items-start gap-1.5 text-label text-red">
      <Glyph icon={CircleAlert} className="mt-px size-3.5" />
      {children}
    </p>
  )
}
