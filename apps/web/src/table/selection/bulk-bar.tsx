import { useEffect, useEffectEvent, useRef } from 'react'
import { Button } from '../../ui/button/button'
import type { Icon } from '../../ui/status/icon'
import { Kbd } from '../../ui/text/kbd'
import type { BulkContext, BulkProgress } from './use-bulk-run'

export interface BulkAction {
  label: string
  onSelect: (bulk: BulkContext) => void
  icon?: Icon
  disabledReason?: string | null
}

/** Rows that match the filter and are not selected yet, loaded or not. */
export interface RestOfRows {
  /** The number of all matching rows; null while older rows are not loaded and therefore not counted. */
  count: number | null
  busy: boolean
  select: () => void
}

const number = new Intl.NumberFormat()

interface Props {
  count: number
  rest: RestOfRows | null
  actions: readonly BulkAction[]
  bulk: BulkContext
  progress: BulkProgress | null
}

/** Fixed at the bottom of the window, so that the rows do not move when it appears. */
export function BulkBar({ count, actions, rest, bulk, progress }: Props) {
  const bar = useRef<HTMLDivElement>(null)
  const from = useRef<HTMLElement>(null)
  useKey('Escape', progress === null ? bulk.clear : null)
  // F6 moves the focus to the bar and back, because Tab would go through all rows first.
  useKey('F6', () => {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null
    if (bar.current?.contains(focused)) return from.current?.focus()
    from.current = focused
    bar.current?.querySelector('button')?.focus()
  })
  return (
    <div className="pointer-events-none fixed inset-x-0 bottom-4 z-30 flex justify-center px-4 print:hidden">
      <div
        ref={bar}
        role="group"
        aria-keyshortcuts="F6"
        aria-label="Selected rows"
        className="pointer-events-auto flex min-h-12 max-w-full animate-rise flex-wrap items-center gap-2 rounded-card border border-line-2 bg-surface-2 px-3 py-2 shadow-float"
      >
        {progress ? (
          <Running {...progress} />
        ) : (
          <>
            <span role="status" className="mr-1 font-medium tabular-nums">
              {number.format(count)} selected
            </span>
            {rest && (
              <Button variant="ghost" busy={rest.busy} onClick={rest.select}>
                {rest.count === null
                  ? 'Select all, including older'
                  : `Select all ${number.format(rest.count)}`}
              </Button>
            )}
            {actions.map((action) => (
              <Button
                key={action.label}
                icon={action.icon}
                disabledReason={action.disabledReason}
                onClick={() => action.onSelect(bulk)}
              >
                {action.label}
              </Button>
            ))}
            <Button variant="ghost" onClick={bulk.clear} aria-keyshortcuts="Escape">
              Clear selection
              <span aria-hidden className="max-sm:hidden">
                <Kbd>Esc</Kbd>
              </span>
            </Button>
          </>
        )}
      </div>
    </div>
  )
}

function Running({ text, share, stop }: BulkProgress) {
  return (
    <>
      <span role="status" className="font-medium tabular-nums">
        {text}
      </span>
      <progress aria-label={text} value={share} className="sr-only" />
      <span aria-hidden className="h-1.5 w-40 overflow-hidden rounded-full bg-surface-3">
        <span className="block h-full bg-blue-dot" style={{ width: `${share * 100}%` }} />
      </span>
      <Button variant="ghost" disabled={stop === null} onClick={() => stop?.()}>
        {stop ? 'Stop' : 'Stopping'}
      </Button>
    </>
  )
}

/** Handles a key anywhere on the page, unless it has a meaning in a dialog, a menu or a field. */
function useKey(key: string, act: (() => void) | null): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== key || event.defaultPrevented || document.querySelector('dialog[open]')) return
    if (!act) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => pressed(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}
