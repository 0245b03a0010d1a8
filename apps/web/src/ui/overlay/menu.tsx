import { Ellipsis } from 'lucide-react'
import { cloneElement, useState } from 'react'
import type { ComponentProps, ReactElement } from 'react'
import { IconButton } from '../button/button'
import type { MenuAnchor, MenuEntry } from './menu-entry'
import { MenuList } from './menu-list'

interface MenuProps {
  /** The accessible name: what the actions apply to. */
  label: string
  items: readonly MenuEntry[]
  /** A button; three dots by default. */
  trigger?: ReactElement<ComponentProps<'button'>>
  align?: 'start' | 'end'
}

/** A button with a menu. Not modal: the page stays readable. */
export function Menu({ label, items, trigger, align = 'end' }: MenuProps) {
  /** The button, while its menu is open. */
  const [from, setFrom] = useState<HTMLElement | null>(null)
  const button: ReactElement<ComponentProps<'button'>> = trigger ?? (
    <IconButton label={label} icon={Ellipsis} />
  )
  return (
    <>
      {cloneElement(button, {
        'aria-haspopup': 'menu',
        'aria-expanded': from !== null,
        onClick: (event) => setFrom(from ? null : event.currentTarget),
        onKeyDown: (event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          setFrom(event.currentTarget)
        },
      })}
      {from && (
        <MenuList
          label={label}
          items={items}
          anchor={from}
          align={align}
          returnFocus={from}
          onClose={() => setFrom(null)}
        />
      )}
    </>
  )
}

interface MenuAtProps {
  label: string
  items: readonly MenuEntry[]
  /** Null while closed. */
  anchor: MenuAnchor | null
  onClose: () => void
  /** Receives the focus when the menu closes. */
  returnFocus?: HTMLElement | undefined
}

/** The same menu for a right click, the context-menu key or a row's button: one for a whole table. */
export function MenuAt({ anchor, ...rest }: MenuAtProps) {
  return anchor && <MenuList {...rest} anchor={anchor} align={anchor.width ? 'end' : 'start'} />
}
