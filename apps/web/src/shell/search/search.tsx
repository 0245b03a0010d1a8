import { messages } from '@flotilla/contract/messages'
import { Search as Lens } from 'lucide-react'
import { useId, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { useConfig } from '../../api/config'
import { useUiSettings } from '../../api/ui-settings'
import { useGo } from '../../paths'
import { useUser } from '../../session/user'
import { Spinner } from '../../ui/feedback/spinner'
import { Glyph } from '../../ui/status/icon'
import { useModal } from '../dialogs/use-modal'
import { actionsOn, asSuggestion } from './found-things'
import { places } from './search-places'
import { SuggestionRow } from './suggestion-row'
import { best, matching, type Suggestion } from './suggestions'
import { useActions } from './use-actions'
import { useFound } from './use-found'

interface SearchProps {
  /** The text that was typed while the search was loading. */
  typedAhead: () => string
  onClose: () => void
  openQuickJob: () => void
  /** Opens the dialog that submits this job. */
  submit: (jobId: string) => void
  /** Opens the dialog that starts this app. */
  startApp: (appId: string) => void
}

/** Finds pages, actions and everything that has a name: a combobox over the page, loaded on demand. */
export default function Search({ typedAhead, onClose, openQuickJob, submit, startApp }: SearchProps) {
  const pages = places(useUser(), useConfig(), useUiSettings()?.trainingsAllowed ?? false)
  const actions = useActions(openQuickJob)
  const [text, setText] = useState(typedAhead)
  const [at, setAt] = useState(0)
  const dialog = useModal(onClose)
  const go = useGo()
  const id = useId()
  const { found, searching } = useFound(text)
  // Before anything is typed, only pages.
  const all =
    text.trim() === ''
      ? pages
      : [
          ...matching([...pages, ...actions, ...actionsOn(found, submit)], text),
          ...found.map((one) => asSuggestion(one, startApp)),
        ]
  const shown = best(all, text)
  const marked = Math.min(at, shown.length - 1)
  const option = (index: number) => `${id}option${index}`

  const choose = (suggestion: Suggestion | undefined) => {
    if (!suggestion) return
    onClose()
    if ('run' in suggestion) suggestion.run()
    else go(suggestion.to, suggestion.search)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && shown.length > 0) {
      event.preventDefault()
      setAt((marked + step + shown.length) % shown.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      choose(shown[marked])
    }
  }

  return (
    <dialog
      ref={dialog}
      aria-label="Search navigation"
      className="dialog mx-auto mt-[12vh] mb-auto w-full max-w-[min(36rem,calc(100vw-2rem))] animate-rise overflow-hidden rounded-card bg-surface-2 text-ink-1 shadow-float outline-none"
    >
      <label className="flex h-12 items-center gap-3 border-b border-line-1 px-4 focus-within:border-accent">
        <Glyph icon={Lens} className="text-ink-3" />
        <input
          role="combobox"
          aria-label="Search"
          aria-expanded={shown.length > 0}
          aria-controls={`${id}list`}
          aria-activedescendant={shown.length > 0 ? option(marked) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          placeholder="Jobs, clusters, nodes, settings, actions"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
          className="h-full min-w-0 flex-1 bg-transparent text-form outline-none"
        />
        {searching && <Spinner />}
      </label>
      <div
        id={`${id}list`}
        role="listbox"
        aria-label="Suggestions"
        className="max-h-[50vh] overflow-y-auto p-1 empty:hidden"
      >
        {shown.map((suggestion, index) => (
          <SuggestionRow
            key={suggestion.key}
            id={option(index)}
            suggestion={suggestion}
            marked={index === marked}
            onMark={() => setAt(index)}
            onChoose={() => choose(suggestion)}
          />
        ))}
      </div>
      <p role="status" className={shown.length > 0 ? 'sr-only' : 'px-4 py-3 text-ink-2'}>
        {statusText(shown.length, searching)}
      </p>
    </dialog>
  )
}

/** "No results" is not shown before the server has responded. */
function statusText(count: number, searching: boolean): string {
  if (count > 0) return `${count} ${count === 1 ? 'suggestion' : 'suggestions'}`
  return searching ? 'Searching…' : messages.noResults
}
