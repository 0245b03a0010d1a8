import type { FilterType } from '@flotilla/contract/messages'
import type { Column, Value } from '../column'
import { textKey, valueText } from '../value-text'

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

/** Greater and less than: numbers numerically, dates chronologically, the rest in natural text order. */
function comparison(type: Column<never>['type'], text: string, greater: boolean): Test {
  if (type === 'number') {
    const limit = parseNumber(text)
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

/** Only columns of the typed kind: a user who wants more than 16 does not mean names. */
function comparable<Row>(columns: readonly Column<Row>[], text: string): readonly Column<Row>[] {
  const ofType = (type: Column<never>['type']) => columns.filter((column) => column.type === type)
  if (parseNumber(text) !== null && ofType('number').length > 0) return ofType('number')
  if (parsePeriod(text) && ofType('date').length > 0) return ofType('date')
  return ofType('text')
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
  each: readonly string[]
  all: string
}
type TextsOf<Row> = (row: Row) => RowTexts

const makeTexts =
  <Row>(columns: readonly Column<Row>[]): TextsOf<Row> =>
  (row) => {
    const each = columns.map((column) => valueText(column.value(row)).toLowerCase())
    return { each, all: each.join('\n') }
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
  if (filter.by === 'greaterThan' || filter.by === 'lessThan') {
    const greater = filter.by === 'greaterThan'
    const tests = (at < 0 ? comparable(columns, text) : columns.slice(at, at + 1)).map((column) => ({
      column,
      test: comparison(column.type, text, greater),
    }))
    return rows.filter((row) => tests.some(({ column, test }) => test(column.value(row))))
  }
  const test = textTests[filter.by]
  if (at >= 0) return rows.filter((row) => test(textsOf(row).each[at] ?? '', text))
  // By far the most common case, with one check instead of ten.
  if (filter.by === 'contains') return rows.filter((row) => textsOf(row).all.includes(text))
  return rows.filter((row) => textsOf(row).each.some((value) => test(value, text)))
}
