import { filterTypes } from '@flotilla/contract/messages'
import type { FilterType } from '@flotilla/contract/messages'
import { Search, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Glyph } from '../../ui/status/icon'
import { Input, Select } from '../../ui/form/input'
import type { Column } from '../column'
import type { Filter } from './filter'

interface FilterBarProps {
  /** What is filtered: the table's label. */
  label: string
  columns: readonly Column<never>[]
  filter: Filter
  onChange: (filter: Filter) => void
  /** The user is about to type. */
  onFocus?: (() => void) | undefined
  shown: number
  all: number
  /** There are older rows that are not loaded. */
  more: boolean
  children?: ReactNode
}

export function FilterBar({
  label,
  columns,
  filter,
  onChange,
  onFocus,
  shown,
  all,
  more,
  children,
}: FilterBarProps) {
  const column = columns.some((one) => one.id === filter.in) ? filter.in : null
  const types = Object.entries(filterTypes) as [FilterType, string][] // entries() widens the keys to string
  return (
    <>
      {filter.text && (
        <p className="mb-3 hidden text-body text-ink-2 print:block">
          Filter “{filter.text}”: {shown.toLocaleString()} of {all.toLocaleString()}
        </p>
      )}
      <div className="mb-3 flex flex-wrap items-center gap-2 print:hidden">
        <search className="contents">
          <div className="relative w-full sm:w-60">
            <Input
              type="text"
              inputMode="search"
              enterKeyHint="search"
              aria-label={`Filter ${label}`}
              placeholder="Filter"
              autoComplete="off"
              spellCheck={false}
              icon={Search}
              className="pr-8"
              value={filter.text}
              onFocus={onFocus}
              onChange={(event) => onChange({ ...filter, text: event.target.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Escape' || !filter.text) return
                // Keeps Esc from also clearing the selection.
                event.preventDefault()
                onChange({ ...filter, text: '' })
              }}
            />
            {filter.text && (
              <button
                type="button"
                aria-label="Clear filter"
                onClick={() => onChange({ ...filter, text: '' })}
                className="absolute top-1 right-1 flex size-6 items-center justify-center rounded-mark text-ink-3 hover:bg-surface-3 hover:text-ink-1"
              >
                <Glyph icon={X} />
              </button>
            )}
          </div>
          <Select
            aria-label="Filter column"
            className="min-w-31 max-sm:flex-1"
            value={column ?? ''}
            onChange={(event) => onChange({ ...filter, in: event.target.value || null })}
          >
            <option value="">Any column</option>
            {columns.map((one) => (
              <option key={one.id} value={one.id}>
                {one.header}
              </option>
            ))}
          </Select>
          <Select
            aria-label="Filter type"
            className="min-w-31 max-sm:flex-1"
            value={filter.by}
            onChange={(event) => {
              const chosen = types.find(([type]) => type === event.target.value)
              if (chosen) onChange({ ...filter, by: chosen[0] })
            }}
          >
            {types.map(([type, text]) => (
              <option key={type} value={type}>
                {text}
              </option>
            ))}
          </Select>
        </search>
        {/* Grouped, so that no button is alone in a row on a phone. */}
        <div className="flex flex-wrap items-center gap-2 max-sm:ml-auto sm:grow">
          <span role="status" className="px-1 text-label whitespace-nowrap text-ink-3 tabular-nums">
            {shown.toLocaleString()} of {all.toLocaleString()}
            {more && '+'}
          </span>
          {children && <div className="ml-auto flex flex-wrap items-center gap-2">{children}</div>}
        </div>
      </div>
    </>
  )
}
