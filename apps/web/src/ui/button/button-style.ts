import { cx } from '../text/cx'

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'
/** m is the console's 32 px, l the login page's 40. */
export type ControlSize = 'm' | 'l'

const variantClasses: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong active:bg-accent-strong',
  secondary: 'border border-line-2 bg-surface-2 text-ink-1 hover:bg-surface-3 active:bg-surface-3',
  ghost: 'text-ink-2 hover:bg-surface-3 hover:text-ink-1 active:bg-surface-3',
  danger: 'bg-danger text-on-danger hover:bg-danger-strong active:bg-danger-strong',
}

const off = 'border border-line-1 bg-surface-3 text-ink-3'

interface ButtonStyle {
  variant?: ButtonVariant | undefined
  size?: ControlSize | undefined
  disabled?: boolean
  square?: boolean
}

/** The style of buttons and of links that look like buttons. */
export function buttonClass({
  variant = 'secondary',
  size = 'm',
  disabled = false,
  square = false,
}: ButtonStyle): string {
  return cx(
    'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-control align-middle font-medium whitespace-nowrap transition-colors select-none',
    size === 'm' ? 'h-8 text-body' : 'h-10 text-form',
    square ? (size === 'm' ? 'w-8' : 'w-10') : size === 'm' ? 'px-3' : 'px-4',
    disabled ? (variant === 'ghost' ? 'text-ink-3' : off) : variantClasses[variant],
    disabled && 'cursor-not-allowed',
  )
}
