import { filterTypes } from '@flotilla/contract/messages'
import type { FilterType } from '@flotilla/contract/messages'
import type { Filter } from './filter'
import type { Sort } from './sort'

/** What the user set on a table: kept in the URL and, per page, in their settings. */
export interface TableState {
  filter: Filter
  sort: Sort | null
}

/** Where the shell stores a page's settings; to the shell, they are opaque. */
export interface TableSettings {
  load: () => Record<string, unknown> | null
  save: (settings: Record<string, unknown>) => void
}

/** Columns that the user does not want to see; unlike the filter, they are not part of a link. */
export type HiddenColumns = ReadonlySet<string>

const HIDDEN = 'hidden'
export const readHidden = (from: object, key: string): HiddenColumns => {
  const given: Record<string, unknown> = { ...from }
  return new Set(
    plainText(given[key ? `${key}.${HIDDEN}` : HIDDEN])
      .split(',')
      .filter(Boolean),
  )
}
export const writeHidden = (hidden: HiddenColumns, key: string): Record<string, string | undefined> => ({
  [key ? `${key}.${HIDDEN}` : HIDDEN]: [...hidden].join(',') || undefined,
})

export const noFilter: Filter = { text: '', by: 'contains', in: null }

/** The original order, chosen explicitly where the page has another default. */
const UNSORTED = 'none'

const isFilterType = (text: string): text is FilterType => Object.hasOwn(filterTypes, text)

const sortText = (sort: Sort | null): string =>
  sort ? `${sort.descending ? '-' : ''}${sort.column}` : UNSORTED

/** The router turns `q=12` into a number and `q=true` into a boolean. */
const plainText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** The parameter names; a page with two tables gives each a key. */
const names = (key: string) => {
  const named = (name: string) => (key ? `${key}.${name}` : name)
  return { text: named('q'), by: named('by'), in: named('in'), sort: named('sort') }
}

/** Reads a URL or stored settings; null if they contain nothing about this table. */
export function readState(from: object, key: string, initialSort: Sort | null): TableState | null {
  const given: Record<string, unknown> = { ...from }
  const name = names(key)
  const [text, by, column, sort] = [given[name.text], given[name.by], given[name.in], given[name.sort]].map(
    plainText,
  ) as [string, string, string, string] // map keeps the four entries
  if (!text && !by && !column && !sort) return null
  return {
    filter: { text, by: isFilterType(by) ? by : 'contains', in: column || null },
    sort:
      sort === ''
        ? initialSort
        : sort === UNSORTED
          ? null
          : { column: sort.replace(/^-/, ''), descending: sort.startsWith('-') },
  }
}

/** The inverse of readState. Defaults are omitted, to keep links short. */
export function writeState(
  state: TableState,
  key: string,
  initialSort: Sort | null,
): Record<string, string | undefined> {
  const name = names(key)
  const { filter, sort } = state
  return {
    [name.text]: filter.text || undefined,
    [name.by]: filter.by === 'contains' ? undefined : filter.by,
    [name.in]: filter.in ?? undefined,
    [name.sort]: sortText(sort) === sortText(initialSort) ? undefined : sortText(sort),
  }
}
