import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { Fragment, useEffect, useId, useLayoutEffect, useRef } from 'react'
import type { FocusEvent, KeyboardEvent, MouseEvent, PointerEvent } from 'react'
import { cx } from '../text/cx'
import { Glyph } from '../status/icon'
import { Kbd } from '../text/kbd'
import type { MenuAction, MenuAnchor, MenuEntry } from './menu-entry'
import { placeUnder } from './place-under'

interface MenuListProps {
  label: string
  items: readonly MenuEntry[]
  anchor: HTMLElement | MenuAnchor
  align: 'start' | 'end'
  onClose: () => void
  returnFocus?: HTMLElement | undefined
}

/** Letters typed within this time belong to one word. */
const WORD_MS = 700

const itemsIn = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []),
]

/** Whether the target is the menu itself or its button, which closes the menu on its own. */
const isOurs = (target: EventTarget | null, ...ours: unknown[]): boolean =>
  target instanceof Node && ours.some((element) => element instanceof HTMLElement && element.contains(target))

const boxOf = (anchor: HTMLElement | MenuAnchor) =>
  anchor instanceof HTMLElement
    ? anchor.getBoundingClientRect()
    : { left: anchor.x, top: anchor.y, width: anchor.width ?? 0, height: anchor.height ?? 0 }

/**
 * An open menu. Our own, based on the popover attribute, because a library is larger than the whole shell: it is in the
 * top layer, so that nothing clips it and a modal dialog does not cover it, and it belongs to its trigger's landmark.
 */
export function MenuList({ label, items, anchor, align, onClose, returnFocus }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const shares = sharedReasons(items)
  const typed = useRef({ word: '', at: 0 })

  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    // A keyboard user sees the focus and starts at the first item.
    const byKeys = document.activeElement?.matches(':focus-visible')
    const place = () => {
      element.style.maxHeight = ''
      const { left, top, maxHeight } = placeUnder(boxOf(anchor), element.getBoundingClientRect(), align)
      Object.assign(element.style, { left: `${left}px`, top: `${top}px`, maxHeight: `${maxHeight}px` })
    }
    element.showPopover()
    place()
    ;((byKeys && itemsIn(element)[0]) || element).focus({ preventScroll: true })
    const scrolled = (event: Event) => event.target !== element && place()
    addEventListener('scroll', scrolled, { capture: true, passive: true })
    addEventListener('resize', place)
    return () => {
      removeEventListener('scroll', scrolled, { capture: true })
      removeEventListener('resize', place)
      element.hidePopover()
    }
  }, [anchor, align])

  useEffect(() => {
    const pressed = ({ target }: Event) => !isOurs(target, list.current, anchor) && onClose()
    addEventListener('pointerdown', pressed, { capture: true })
    return () => removeEventListener('pointerdown', pressed, { capture: true })
  }, [anchor, onClose])

  /** Restores the focus first, so that a dialog opened by an action can return it there. */
  const leave = () => {
    returnFocus?.focus({ preventScroll: true })
    onClose()
  }
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget && !isOurs(relatedTarget, list.current, anchor)) onClose()
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const all = itemsIn(list.current)
    const at = all.findIndex((item) => item === document.activeElement)
    const steps: Record<string, number> = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: at > 0 ? at - 1 : all.length - 1,
      Home: 0,
      End: all.length - 1,
    }
    const { key } = event
    const step = steps[key]
    // The Tab key continues from the menu's trigger.
    if (key === 'Tab') return leave()
    if (key === 'Escape') leave()
    else if (step !== undefined) all[step]?.focus()
    else if (key === ' ') all[at]?.click()
    else if (key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const { word, at: before } = typed.current
      const now = (event.timeStamp - before < WORD_MS ? word : '') + key.toLowerCase()
      typed.current = { word: now, at: event.timeStamp }
      // One letter moves to the next matching item; a longer word may still match the current one.
      const from = Math.max(0, now.length > 1 ? at : at + 1)
      const inOrder = [...all.slice(from), ...all.slice(0, from)]
      inOrder.find((item) => item.textContent.toLowerCase().startsWith(now))?.focus()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      ref={list}
      role="menu"
      aria-label={label}
      tabIndex={-1}
      popover="manual"
      onKeyDown={onKeyDown}
      onBlur={onBlur}
      className="fixed inset-auto m-0 min-w-44 animate-appear overflow-y-auto rounded-card border-0 bg-surface-2 p-1 text-left text-body font-normal whitespace-normal text-ink-1 shadow-float outline-none"
    >
      {items.map((entry, at) => {
        const key = entry === 'separator' ? at : 'heading' in entry ? entry.heading : entry.label
        const reason = reasonOf(entry)
        const shared = reason && shares.includes(reason) ? `${id}-${shares.indexOf(reason)}` : undefined
        const isFirst = shared && items.findIndex((other) => reasonOf(other) === reason) === at
        return (
          <Fragment key={key}>
            {isFirst && (
              <p id={shared} className="max-w-80 px-2 pt-1.5 pb-1 text-label text-ink-3">
                {reason}
              </p>
            )}
            <Entry entry={entry} leave={leave} sharedReason={shared} />
          </Fragment>
        )
      })}
    </div>
  )
}

const reasonOf = (entry: MenuEntry): string | null =>
  (typeof entry === 'object' && 'onSelect' in entry && entry.disabledReason) || null

/** A reason that several entries share is shown once, above the first of them. */
export function sharedReasons(items: readonly MenuEntry[]): string[] {
  const all = items.map(reasonOf)
  return [...new Set(all.filter((reason, at) => reason !== null && all.indexOf(reason) !== at))] as string[]
}

const row =
  'flex min-h-8 w-full max-w-80 items-center gap-2 rounded-control px-2 py-1 text-left outline-none focus:bg-surface-3'

/** The pointer moves the focus, so that only one item is highlighted. */
const follows = {
  role: 'menuitem',
  tabIndex: -1,
  onPointerMove: ({ pointerType, currentTarget }: PointerEvent<HTMLElement>) => {
    if (pointerType !== 'touch') currentTarget.focus({ preventScroll: true })
  },
  onPointerLeave: ({ currentTarget }: PointerEvent<HTMLElement>) =>
    currentTarget.closest<HTMLElement>('[role=menu]')?.focus({ preventScroll: true }),
}

interface EntryProps<Shown> {
  entry: Shown
  leave: () => void
  /** The id of the reason that is already shown for this entry and others. */
  sharedReason?: string | undefined
}

function Entry({ entry, leave, sharedReason }: EntryProps<MenuEntry>) {
  if (entry === 'separator') return <hr className="mx-1 my-1 h-px border-0 bg-line-1" />
  if ('heading' in entry) return <p className="px-2 pt-1.5 pb-1 text-label text-ink-3">{entry.heading}</p>
  if ('onSelect' in entry) return <Action entry={entry} leave={leave} sharedReason={sharedReason} />
  return (
    <Link to={entry.to} {...follows} className={row} onClick={leave}>
      {entry.icon && <Glyph icon={entry.icon} className="text-ink-3" />}
      {entry.label}
    </Link>
  )
}

function Action({ entry, leave, sharedReason }: EntryProps<MenuAction>) {
  const off = Boolean(entry.disabledReason)
  const choose = (event: MouseEvent) => {
    event.preventDefault()
    if (off) return
    leave()
    entry.onSelect()
  }
  return (
    <button
      type="button"
      {...follows}
      {...(entry.checked !== undefined && { role: 'menuitemcheckbox', 'aria-checked': entry.checked })}
      aria-disabled={off || undefined}
      aria-describedby={sharedReason}
      className={cx(row, off && 'text-ink-3')}
      onClick={choose}
    >
      {entry.icon && <Glyph icon={entry.icon} className="text-ink-3" />}
      <span className="min-w-0 flex-1">
        {entry.label}
        {off && !sharedReason && <span className="block text-label">{entry.disabledReason}</span>}
      </span>
      {entry.checked && <Glyph icon={Check} />}
      {entry.shortcut && <Kbd>{entry.shortcut}</Kbd>}
    </button>
  )
}
