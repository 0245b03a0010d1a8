import type { LucideIcon } from 'lucide-react'
import { cx } from '../text/cx'

export type Icon = LucideIcon

/** An icon in the console's size and stroke; purely decorative, because there is text next to it. */
export function Glyph({ icon: Drawing, className }: { icon: Icon; className?: string }) {
  return <Drawing size={16} strokeWidth={1.75} aria-hidden className={cx('shrink-0', className)} />
}
