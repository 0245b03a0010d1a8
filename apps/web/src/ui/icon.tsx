import type { LucideIcon } from 'lucide-react'
import { cx } from './cx'

export type Icon = LucideIcon

/** Every icon of the console in one size and stroke; purely decorative, the words are beside it. */
export function Glyph({ icon: Drawing, className }: { icon: Icon; className?: string }) {
  return <Drawing size={16} strokeWidth={1.75} aria-hidden className={cx('shrink-0', className)} />
}
