import type { ComponentProps, MouseEvent } from 'react'
import { buttonClass } from './button-style'
import type { ButtonVariant, ControlSize } from './button-style'
import { cx } from '../text/cx'
import { Glyph } from '../status/icon'
import type { Icon } from '../status/icon'
import { Spinner } from '../feedback/spinner'

export interface PlainButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant
  size?: ControlSize
  /** An action is in progress: the button keeps its width and focus, and does nothing. */
  busy?: boolean
  icon?: Icon
}

/** Not the `disabled` attribute, which would remove the focus and hide the reason. */
export const off = {
  'aria-disabled': true,
  onClick: (event: MouseEvent) => event.preventDefault(),
} as const

/** A button without a disabled reason. The login page uses it directly; elsewhere, use ui/button. */
export function PlainButton({ variant, size, busy, icon, className, children, ...rest }: PlainButtonProps) {
  const disabled = Boolean(rest['aria-disabled']) || Boolean(rest.disabled)
  return (
    <button
      type="button"
      {...rest}
      {...(busy ? off : null)}
      aria-busy={busy || undefined}
      className={cx(buttonClass({ variant, size, disabled }), 'relative', className)}
    >
      {busy && (
        <span className="absolute inset-0 flex items-center justify-center">
          <Spinner />
        </span>
      )}
      <span className={cx('inline-flex items-center gap-1.5', busy && 'opacity-0')}>
        {icon && <Glyph icon={icon} className="-ml-0.5" />}
        {children}
      </span>
    </button>
  )
}
