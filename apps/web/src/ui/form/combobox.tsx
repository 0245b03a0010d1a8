import { useState } from 'react'
import type { KeyboardEvent } from 'react'
import { cx } from '../text/cx'
import type { ControlAria } from './field'
import { Input } from './input'

export interface ComboboxOption {
  value: string
  label: string
  /** Shown at the right edge, to distinguish options with the same label. */
  detail?: string
}

interface Props {
  aria: ControlAria
  options: readonly ComboboxOption[]
  /** Empty while nothing is chosen. */
  value: string
  onChange: (value: string) => void
  placeholder: string
  /** Receives the focus when its dialog opens, or when it appears in an open one. */
  autofocus?: boolean
}

/** Options that contain every typed word, those that start with the text first. */
export function searchOptions(options: readonly ComboboxOption[], text: string): readonly ComboboxOption[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = options.filter(({ label, detail = '' }) => {
    const all = `${label} ${detail}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
  const first = (option: ComboboxOption) => option.label.toLowerCase().startsWith(words[0] ?? '')
  return [...found.filter(first), ...found.filter((option) => !first(option))]
}

const focus = (field: HTMLInputElement | null) => field?.focus()

/** A field for choosing one of many: typing narrows the list below it. */
export function Combobox({ aria, options, value, onChange, placeholder, autofocus = false }: Props) {
  /** What is typed; null while the list is closed and the choice is shown. */
  const [text, setText] = useState<string | null>(null)
  const [at, setAt] = useState(0)
  const open = text !== null
  const found = open ? searchOptions(options, text) : []
  const chosen = options.find((option) => option.value === value)
  const list = `${aria.id}-list`
  const idOf = (index: number) => `${list}-${index}`

  const choose = (option: ComboboxOption | undefined) => {
    if (!option) return
    setText(null)
    onChange(option.value)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      const next = open && found.length > 0 ? (at + step + found.length) % found.length : 0
      if (!open) setText('')
      setAt(next)
      document.getElementById(idOf(next))?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter' && open) choose(found[at])
    else if (event.key === 'Escape' && open) setText(null)
    else return
    // Keeps the key from submitting the form or closing the dialog.
    event.preventDefault()
  }

  return (
    <div>
      <Input
        {...aria}
        role="combobox"
        aria-expanded={open}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={open && found.length > 0 ? idOf(at) : undefined}
        ref={autofocus ? focus : undefined}
        data-autofocus={autofocus ? '' : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={text ?? chosen?.label ?? ''}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onClick={() => {
          if (!open) setText('')
          setAt(0)
        }}
        onBlur={() => setText(null)}
        onKeyDown={onKeyDown}
      />
      {open && (
        <div
          id={list}
          role="listbox"
          aria-label={placeholder}
          className="mt-1 max-h-56 overflow-y-auto rounded-control border border-line-2 bg-surface-2 p-1"
        >
          {found.map((option, index) => (
            <button
              type="button"
              tabIndex={-1}
              key={option.value}
              id={idOf(index)}
              role="option"
              aria-selected={index === at}
              // The field keeps the focus, or the list would close before the click.
              onPointerDown={(event) => event.preventDefault()}
              onMouseDown={(event) => event.preventDefault()}
              onPointerMove={() => setAt(index)}
              onClick={() => choose(option)}
              className={cx(
                'flex h-8 w-full items-center justify-between gap-4 rounded-control px-2 text-left text-body',
                index === at && 'bg-surface-3',
              )}
            >
              <span className="truncate">{option.label}</span>
              <span className="shrink-0 text-label text-ink-3">{option.detail}</span>
            </button>
          ))}
          {found.length === 0 && <p className="px-2 py-1.5 text-body text-ink-2">No matches</p>}
        </div>
      )}
    </div>
  )
}
