import type { Icon } from '../status/icon'

export interface MenuAction {
  label: string
  onSelect: () => void
  icon?: Icon | undefined
  /** Why it is disabled; shown below, and the item stays focusable. */
  disabledReason?: string | null | undefined
  shortcut?: string
  checked?: boolean
}

export type MenuEntry =
  | MenuAction
  | { to: string; label: string; icon?: Icon }
  | { heading: string }
  | 'separator'

/** Where a menu without a trigger opens: at the pointer, or at a row's button. */
export interface MenuAnchor {
  x: number
  y: number
  width?: number
  height?: number
}
