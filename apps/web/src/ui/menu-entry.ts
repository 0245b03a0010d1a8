import type { Icon } from './icon'

export interface MenuAction {
  label: string
  onSelect: () => void
  icon?: Icon | undefined
  /** Why it cannot be chosen now; shown beneath, and the item stays reachable. */
  disabledReason?: string | null | undefined
  shortcut?: string
  checked?: boolean
}

export type MenuEntry =
  | MenuAction
  | { to: string; label: string; icon?: Icon }
  | { heading: string }
  | 'separator'

/** Where a menu opens that has no trigger of its own: under the pointer, or beside a row's button. */
export interface MenuAnchor {
  x: number
  y: number
  width?: number
  height?: number
}
