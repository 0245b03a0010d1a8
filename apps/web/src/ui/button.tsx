import type { ComponentProps, MouseEvent } from 'react'
import { buttonClass } from './button-style'
import type { ButtonVariant, ControlSize } from './button-style'
import { cx } from './cx'
import { Glyph } from './icon'
import type { Icon } from './icon'
import { Spinner } from './spinner'
import { Tooltip } from './tooltip'

interface Shared extends ComponentProps<'button'> {
  variant?: ButtonVariant
  size?: ControlSize
  /** Work is under way: the button keeps its width and its focus, and does nothing. */
  busy?: boolean
  /** Why it cannot be pressed now. It stays focusable, so that everybody can learn the reason. */
  disabledReason?: string | null | undefined
  icon?: Icon
}

/** Not the `disabled` attribute: that would take the focus away and silence the reason. */
const off = {
  'aria-disabled': true,
  onClick: (event: MouseEvent) => event.preventDefault(),
}

export function Button({ variant, size, busy, disabledReason, icon, className, children, ...rest }: Shared) {
  const disabled = Boolean(disabledReason) || Boolean(rest.disabled)
  const button = (
    <button
      type="button"
      {...rest}
      {...(disabledReason || busy ? off : null)}
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
  if (!disabledReason) return button
  return (
    <Tooltip content={disabledReason} openOnClick>
      {button}
    </Tooltip>
  )
}

interface IconButtonProps extends Shared {
  /** The accessible name, also shown as a tooltip. */
  label: string
  icon: Icon
  tooltip?: boolean
}

export function IconButton({
  label,
  icon,
  variant = 'ghost',
  size,
  busy,
  disabledReason,
  tooltip = true,
  className,
  ...rest
}: IconButtonProps) {
  const disabled = Boolean(disabledReason) || Boolean(rest.disabled)
  const button = (
    <button
      type="button"
      aria-label={label}
      {...rest}
      {...(disabledReason || busy ? off : null)}
      aria-busy={busy || undefined}
      className={cx(buttonClass({ variant, size, disabled, square: true }), className)}
    >
      {busy ? <Spinner /> : <Glyph icon={icon} />}
    </button>
  )
  if (disabledReason) {
    return (
      <Tooltip content={`${label}: ${disabledReason}`} openOnClick>
        {button}
      </Tooltip>
    )
  }
  if (!tooltip) return button
  return (
    <Tooltip content={label} describe={false}>
      {button}
    </Tooltip>
  )
}
