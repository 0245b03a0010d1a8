import { parseDuration } from '@flotilla/contract/durations'
import type { FilterType } from '@flotilla/contract/messages'
import { parseSize } from '../../ui/text/size-text'
import type { Column, Value } from '../column'
import { shownTexts, textKey, valueText } from '../value-text'

export interface Filter {
  text: string
  by: FilterType
  /** A column's ID; null for any column. */
  in: string | null
}

type Test = (value: Value) => boolean

const never: Test = () => false

/** The period of a typed date: '2024-05' is all of May. */
export function parsePeriod(text: string): { start: number; end: number } | null {
  const parts =
    /^(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?(?:[ T](\d{1,2})(?::(\d{2}))?(?::(\d{2}))?)?[-: T]*$/.exec(
      text.trim(),
    )
  if (!parts) return null
  const given = parts
    .slice(1)
    .filter((part) => part !== undefined && Number.isFinite(Number(part)))
    .map(Number)
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = given
  const start = [year, month - 1, day, hour, minute, second]
  const end = start.with(given.length - 1, (start[given.length - 1] ?? 0) + 1)
  return { start: moment(start), end: moment(end) }
}

const moment = ([year = 0, month = 0, day = 1, hour = 0, minute = 0, second = 0]: number[]): number =>
  new Date(year, month, day, hour, minute, second).getTime()

const parseNumber = (text: string): number | null => {
  const number = Number(text)
  return text === '' || Number.isNaN(number) ? null : number
}

/** How a typed text is read for a column of numbers. */
const parsers = { number: parseNumber, duration: parseDuration, size: parseSize }
const isMeasured = (type: Column<never>['type']): type is keyof typeof parsers => type in parsers

/** Greater and less than: numbers numerically, dates chronologically, the rest in natural text order. */
function comparison(type: Column<never>['type'], text: string, greater: boolean): Test {
  if (isMeasured(type)) {
    const limit = parsers[type](text)
    if (limit === null) return never
    return (value) => value !== null && (greater ? Number(value) > limit : Number(value) < limit)
  }
  if (type === 'date') {
    const limit = parsePeriod(text)
    if (!limit) return never
    return (value) => value !== null && (greater ? Number(value) >= limit.end : Number(value) < limit.start)
  }
  const limit = textKey(text)
  return (value) => {
    if (value === null || value === '') return false
    const key = textKey(valueText(value))
    return greater ? key > limit : key < limit
  }
}

const textTests: Record<
  'contains' | 'startsWith' | 'endsWith' | 'matches',
  (value: string, text: string) => boolean
> = {
  contains: (value, text) => value.includes(text),
  startsWith: (value, text) => value.startsWith(text),
  endsWith: (value, text) => value.endsWith(text),
  matches: (value, text) => value === text,
}

/** A row's searchable texts: lowercase, in column order, and all of them joined. */
interface RowTexts {
  each: readonly (readonly string[])[]
  all: string
}
type TextsOf<Row> = (row: Row) => RowTexts

const makeTexts =
  <Row>(columns: readonly Column<Row>[]): TextsOf<Row> =>
  (row) => {
    const each = columns.map((column) => shownTexts(column, row).map((text) => text.toLowerCase()))
    return { each, all: each.flat().join('\n') }
  }

/** Builds the texts of a row once, however often the user types. */
export function createTextCache<Row extends object>(columns: readonly Column<Row>[]): TextsOf<Row> {
  const known = new WeakMap<Row, RowTexts>()
  const make = makeTexts(columns)
  return (row) => {
    const before = known.get(row)
    if (before) return before
    const texts = make(row)
    known.set(row, texts)
    return texts
  }
}

/** Which rows match. An empty text matches all. */
export function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  filter: Filter,
  textsOf: TextsOf<Row> = makeTexts(columns),
): readonly Row[] {
  const text = filter.text.trim().toLowerCase()
  if (text === '') return rows
  const at = columns.findIndex((column) => column.id === filter.in)
  const wanted = at < 0 ? columns : columns.slice(at, at + 1)
  if (filter.by === 'greaterThan' || filter.by === 'lessThan') {
    const greater = filter.by === 'greaterThan'
    // Any column means numbers: a user who wants more than 16 does not mean names, dates or time limits.
    const tests = wanted
      .filter((column) => at >= 0 || column.type === 'number')
      .map((column) => ({ column, test: comparison(column.type, text, greater) }))
    return rows.filter((row) => tests.some(({ column, test }) => test(column.value(row))))
  }
  // By far the most common case needs one check instead of ten.
  if (filter.by === 'contains' && at < 0) return rows.filter((row) => textsOf(row).all.includes(text))
  const test = textTests[filter.by]
  // An hour is the same as 60 minutes, however it is shown.
  const chosen = at < 0 ? undefined : columns[at]
  const same =
    filter.by === 'matches' && chosen && isMeasured(chosen.type) ? parsers[chosen.type](text) : null
  return rows.filter((row) => {
    const { each } = textsOf(row)
    const shown = at < 0 ? each : each.slice(at, at + 1)
    return (
      shown.some((texts) => texts.some((value) => test(value, text))) ||
      (same !== null && chosen?.value(row) === same)
    )
  })
}
