import { buttonClass } from './button-style'
import { cx } from '../text/cx'
import { Glyph } from '../status/icon'
import type { Icon } from '../status/icon'
import { PlainButton, off } from './plain-button'
import type { PlainButtonProps } from './plain-button'
import { Spinner } from '../feedback/spinner'
import { Tooltip } from '../overlay/tooltip'

interface Shared extends PlainButtonProps {
  /** Why it is disabled. It stays focusable, so that everyone can learn the reason. */
  disabledReason?: string | null | undefined
}

export function Button({ disabledReason, ...rest }: Shared) {
  if (!disabledReason) return <PlainButton {...rest} />
  return (
    <Tooltip content={disabledReason} openOnClick>
      <PlainButton {...rest} {...off} />
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
