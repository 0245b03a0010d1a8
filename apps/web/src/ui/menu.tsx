import { Link } from '@tanstack/react-router'
import { Check, Ellipsis } from 'lucide-react'
import { Content, Item, Label, Root, Separator, Trigger } from 'radix-ui/dropdown-menu'
import { useRef } from 'react'
import type { ReactElement } from 'react'
import { IconButton } from './button'
import { cx } from './cx'
import { Glyph } from './icon'
import type { Icon } from './icon'
import { Kbd } from './kbd'

interface MenuAction {
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

interface MenuProps {
  /** The accessible name of the default trigger: what the actions are about. */
  label: string
  items: readonly MenuEntry[]
  trigger?: ReactElement
  align?: 'start' | 'end'
}

/** A button with a menu. Not modal: the page stays readable, and no library adds styles of its own to it. */
export function Menu({ label, items, trigger, align = 'end' }: MenuProps) {
  return (
    <Root modal={false}>
      <Trigger asChild>{trigger ?? <IconButton label={label} icon={Ellipsis} />}</Trigger>
      <Items items={items} align={align} />
    </Root>
  )
}

interface MenuAtProps {
  label: string
  items: readonly MenuEntry[]
  /** Null while closed. */
  anchor: MenuAnchor | null
  onClose: () => void
  /** Gets the focus back. */
  returnFocus?: HTMLElement | undefined
}

/**
 * The same menu opened by a right click, the context-menu key or a row's button: one for a whole table. Keep it mounted:
 * it watches whether keys or a pointer opened it, and starts at the first item for keys.
 */
export function MenuAt({ label, items, anchor, onClose, returnFocus }: MenuAtProps) {
  return (
    <Root modal={false} open={anchor !== null} onOpenChange={(open) => !open && onClose()}>
      <Trigger
        aria-label={label}
        aria-hidden
        tabIndex={-1}
        className="pointer-events-none fixed opacity-0"
        style={{
          left: anchor?.x ?? 0,
          top: anchor?.y ?? 0,
          width: anchor?.width ?? 0,
          height: anchor?.height ?? 0,
        }}
      />
      <Items items={items} align={anchor?.width ? 'end' : 'start'} onClosed={() => returnFocus?.focus()} />
    </Root>
  )
}

/*
 * Drawn in place, not at the end of the page: fixed to the window nothing cuts it off, inside a modal dialog it stays
 * usable, and it belongs to the landmark it came from.
 */
function Items({
  items,
  align,
  onClosed,
}: {
  items: readonly MenuEntry[]
  align: 'start' | 'end'
  onClosed?: () => void
}) {
  const chosen = useRef<() => void>(undefined)
  return (
    <Content
      align={align}
      sideOffset={4}
      collisionPadding={8}
      // An action runs once the focus is back on the trigger: a dialog that it opens can then return it there.
      onCloseAutoFocus={(event) => {
        if (onClosed) {
          event.preventDefault()
          onClosed()
        }
        const act = chosen.current
        chosen.current = undefined
        if (act) queueMicrotask(act)
      }}
      className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 animate-appear overflow-y-auto rounded-card bg-surface-2 p-1 text-left text-body font-normal whitespace-normal text-ink-1 shadow-float"
    >
      {items.map((entry, at) => (
        <Entry
          key={entry === 'separator' ? at : 'heading' in entry ? entry.heading : entry.label}
          entry={entry}
          choose={(act) => (chosen.current = act)}
        />
      ))}
    </Content>
  )
}

const row =
  'flex min-h-8 max-w-80 items-center gap-2 rounded-control px-2 py-1 outline-none data-highlighted:bg-surface-3'

function Entry({ entry, choose }: { entry: MenuEntry; choose: (act: () => void) => void }) {
  if (entry === 'separator') return <Separator className="mx-1 my-1 h-px bg-line-1" />
  if ('heading' in entry)
    return <Label className="px-2 pt-1.5 pb-1 text-label text-ink-3">{entry.heading}</Label>
  if ('to' in entry) {
    return (
      <Item asChild className={row}>
        <Link to={entry.to}>
          {entry.icon && <Glyph icon={entry.icon} className="text-ink-3" />}
          {entry.label}
        </Link>
      </Item>
    )
  }
  const off = Boolean(entry.disabledReason)
  return (
    <Item
      className={cx(row, off && 'text-ink-3')}
      aria-disabled={off || undefined}
      onSelect={(event) => {
        if (off) event.preventDefault()
        else choose(entry.onSelect)
      }}
    >
      {entry.icon && <Glyph icon={entry.icon} className="text-ink-3" />}
      <span className="min-w-0 flex-1">
        {entry.label}
        {off && <span className="block text-label">{entry.disabledReason}</span>}
      </span>
      {entry.checked && <Glyph icon={Check} />}
      {entry.shortcut && <Kbd>{entry.shortcut}</Kbd>}
    </Item>
  )
}
