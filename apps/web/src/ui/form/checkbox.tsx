import { useId, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import { cx } from '../text/cx'

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'size'> {
  /** Without a label, pass `aria-label`. */
  label?: ReactNode
  hint?: ReactNode
  indeterminate?: boolean
}

/** The native checkbox in our style: the mark is drawn over it, the behavior stays native. */
export function Checkbox({ label, hint, indeterminate = false, className, ref, ...rest }: CheckboxProps) {
  const hintId = useId()
  const own = useRef<HTMLInputElement>(null)
  useImperativeHandle<HTMLInputElement | null, HTMLInputElement | null>(ref, () => own.current)
  useLayoutEffect(() => {
    // This is only a property; there is no attribute for it.
    if (own.current) own.current.indeterminate = indeterminate
  }, [indeterminate])
  const described = [rest['aria-describedby'], hint ? hintId : null].filter(Boolean).join(' ')
  const box = (
    <span className="relative inline-flex size-4 shrink-0">
      <input
        {...rest}
        type="checkbox"
        ref={own}
        aria-describedby={described || undefined}
        className="peer size-4 appearance-none rounded-mark border border-line-3 bg-surface-2 transition-colors checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent aria-invalid:border-red disabled:border-line-2 disabled:bg-surface-3"
      />
      <svg
        viewBox="0 0 16 16"
        aria-hidden
        className="pointer-events-none absolute inset-0 hidden text-on-accent peer-checked:block peer-indeterminate:block peer-disabled:text-ink-3"
      >
        <path
          d={indeterminate ? 'M4.5 8h7' : 'm4 8.25 2.75 2.75L12 5.5'}
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </span>
  )
  if (label === undefined) return box
  return (
    <span className={cx('flex flex-col', className)}>
      <label className={cx('inline-flex w-fit items-start gap-2 text-form', rest.disabled && 'text-ink-3')}>
        <span className="flex h-5 items-center">{box}</span>
        {label}
      </label>
      {hint && (
        <span id={hintId} className="ml-6 text-label text-ink-3">
          {hint}
        </span>
      )}
    </span>
  )
}
