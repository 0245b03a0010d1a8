import { messages } from '@flotilla/contract/messages'
import { Search as Lens } from 'lucide-react'
import { useId, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { useConfig } from '../../api/config'
import { useUiSettings } from '../../api/ui-settings'
import { useGo } from '../../paths'
import { useUser } from '../../session/user'
import { cx } from '../../ui/text/cx'
import { Glyph } from '../../ui/status/icon'
import { places, searchPlaces } from './search-places'
import { useModal } from '../dialogs/use-modal'

/** The navigation search: a combobox over the page, loaded on demand. */
export default function Search({ onClose }: { onClose: () => void }) {
  const all = places(useUser(), useConfig(), useUiSettings()?.trainingsAllowed ?? false)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const dialog = useModal(onClose)
  const go = useGo()
  const id = useId()
  const found = searchPlaces(all, text)
  const option = (index: number) => `${id}option${index}`

  const choose = (to: string | undefined) => {
    if (!to) return
    onClose()
    go(to)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      setAt((at + step + found.length) % found.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      choose(found[at]?.to)
    }
  }

  return (
    <dialog
      ref={dialog}
      aria-label="Search navigation"
      className="dialog mx-auto mt-[12vh] mb-auto w-full max-w-[min(32rem,calc(100vw-2rem))] animate-rise overflow-hidden rounded-card bg-surface-2 text-ink-1 shadow-float outline-none"
    >
      <label className="flex h-12 items-center gap-3 border-b border-line-1 px-4 focus-within:border-accent">
        <Glyph icon={Lens} className="text-ink-3" />
        <input
          role="combobox"
          aria-label="Search"
          aria-expanded={found.length > 0}
          aria-controls={`${id}list`}
          aria-activedescendant={found.length > 0 ? option(at) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          placeholder="Where to?"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
          className="h-full min-w-0 flex-1 bg-transparent text-form outline-none"
        />
      </label>
      <div
        id={`${id}list`}
        role="listbox"
        aria-label="Suggestions"
        className="max-h-[50vh] overflow-y-auto p-1"
      >
        {found.map(({ to, label, under }, index) => (
          <button
            type="button"
            tabIndex={-1}
            key={to}
            id={option(index)}
            role="option"
            aria-selected={index === at}
            onPointerMove={() => setAt(index)}
            onClick={() => choose(to)}
            className={cx(
              'flex h-9 w-full items-center justify-between gap-4 rounded-control px-3',
              index === at && 'bg-surface-3',
            )}
          >
            <span className="truncate">{label}</span>
            <span className="shrink-0 text-label text-ink-3">{under}</span>
          </button>
        ))}
      </div>
      <p role="status" className={found.length > 0 ? 'sr-only' : 'px-4 pt-2 pb-4 text-ink-2'}>
        {found.length > 0 ? `${found.length} suggestions` : messages.noResults}
      </p>
    </dialog>
  )
}
