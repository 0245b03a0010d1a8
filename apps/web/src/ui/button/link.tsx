import { createLink } from '@tanstack/react-router'
import { ExternalLink as ExternalGlyph } from 'lucide-react'
import type { ComponentProps } from 'react'
import { buttonClass } from './button-style'
import type { ButtonVariant, ControlSize } from './button-style'
import { cx } from '../text/cx'
import { Glyph } from '../status/icon'
import type { Icon } from '../status/icon'

/** Always underlined: within text, color alone does not identify a link. */
const text =
  'rounded-mark text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent'

/** A link in running text. */
export const TextLink = createLink(({ className, children, ...rest }: ComponentProps<'a'>) => (
  <a {...rest} className={cx(text, className)}>
    {children}
  </a>
))

interface ButtonLinkProps extends ComponentProps<'a'> {
  variant?: ButtonVariant
  size?: ControlSize
  icon?: Icon
}

/** A link that looks like a button: it navigates, it performs no action. */
export const ButtonLink = createLink(
  ({ variant, size, icon, className, children, ...rest }: ButtonLinkProps) => (
    <a {...rest} className={cx(buttonClass({ variant, size }), 'print:hidden', className)}>
      {icon && <Glyph icon={icon} className="-ml-0.5" />}
      {children}
    </a>
  ),
)

/** The link in a table's first column: the row's name, underlined on hover. */
export const RowLink = createLink(({ className, children, ...rest }: ComponentProps<'a'>) => (
  <a
    {...rest}
    className={cx('rounded-mark font-medium text-ink-1 underline-offset-2 hover:underline', className)}
  >
    {children}
  </a>
))

/** A link that leaves the console, is marked as such, and gives the other site no access to ours. */
export function ExternalLink({ className, children, ...rest }: ComponentProps<'a'> & { href: string }) {
  return (
    <a
      target="_blank"
      rel="noreferrer"
      {...rest}
      className={cx(text, 'inline-flex items-center gap-1', className)}
    >
      {children}
      <Glyph icon={ExternalGlyph} className="size-3.5" />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  )
}
