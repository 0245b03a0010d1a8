import type { ComponentProps } from 'react'
import type { ControlSize } from '../button/button-style'
import { cx } from '../text/cx'
import { Glyph } from '../status/icon'
import type { Icon } from '../status/icon'

interface ControlStyle {
  size?: ControlSize | undefined
  /** For IDs, paths and code. */
  mono?: boolean | undefined
}

const frame =
  'w-full rounded-control border border-line-2 bg-surface-2 text-ink-1 transition-colors hover:border-line-3 ' +
  'focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-red ' +
  'disabled:cursor-not-allowed disabled:border-line-1 disabled:bg-surface-3 disabled:text-ink-3 ' +
  '[&[readonly]]:bg-surface-3'

const height = (size: ControlSize) => (size === 'm' ? 'h-8 px-2.5' : 'h-10 px-3')

export function Input({
  size = 'm',
  mono,
  icon,
  className,
  ...rest
}: Omit<ComponentProps<'input'>, 'size'> & ControlStyle & { icon?: Icon }) {
  const input = (
    <input
      {...rest}
      className={cx(
        frame,
        height(size),
        'text-form',
        mono && 'font-mono text-body',
        icon && 'pl-8',
        className,
      )}
    />
  )
  if (!icon) return input
  return (
    <span className="relative block w-full">
      <Glyph
        icon={icon}
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-3"
      />
      {input}
    </span>
  )
}

export function Textarea({
  mono,
  className,
  ...rest
}: ComponentProps<'textarea'> & { mono?: boolean | undefined }) {
  return (
    <textarea
      rows={4}
      {...rest}
      className={cx(
        frame,
        'block min-h-16 px-2.5 py-1.5 text-form',
        mono && 'font-mono text-body',
        className,
      )}
    />
  )
}

/** The native select: correct on every device and with every assistive technology. */
export function Select({
  size = 'm',
  className,
  children,
  ...rest
}: Omit<ComponentProps<'select'>, 'size'> & { size?: ControlSize | undefined }) {
  return (
    <span className={cx('relative block', className ?? 'w-full')}>
      <select {...rest} className={cx(frame, height(size), 'appearance-none truncate pr-8 text-form')}>
        {children}
      </select>
      <svg
        viewBox="0 0 16 16"
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2 size-4 -translate-y-1/2 text-ink-3"
      >
        <path
          d="m4.5 6.5 3.5 3.5 3.5-3.5"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </span>
  )
}
