import { clockText, limitText } from '@flotilla/contract/durations'
import { sizeText } from '../ui/text/size-text'
import type { Column, Value } from './column'

const two = (value: number): string => String(value).padStart(2, '0')

/** A date as users type it into a filter, in their time zone. */
const dateText = (date: Date): string =>
  `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`

export function valueText(value: Value): string {
  if (value === null) return ''
  return value instanceof Date ? dateText(value) : String(value)
}

/** What a cell shows, for the filter; the first is also the title of a truncated cell. */
export function shownTexts<Row>(column: Column<Row>, row: Row): readonly [string, ...string[]] {
  const [first = '', ...others] = column.texts?.(row) ?? valueTexts(column.type, column.value(row))
  return [first, ...others]
}

function valueTexts(type: Column<never>['type'], value: Value): readonly string[] {
  if (type === 'duration' && typeof value === 'number') return [limitText(value), clockText(value)]
  if (type === 'size' && typeof value === 'number') return [sizeText(value)]
  return [valueText(value)]
}

const digits = /\d+/g

/**
 * A key whose plain order is the natural order of the text: case-insensitive, and `n2` comes before `n10`. Much faster
 * than a collator over ten thousand rows, because each key is built once.
 */
export function textKey(text: string): string {
  const lower = text.toLowerCase()
  const plain = /^[\0-\x7f]*$/.test(lower) ? lower : lower.normalize('NFD').replaceAll(/\p{M}/gu, '')
  return plain.replace(digits, (run) => run.replace(/^0+(?=\d)/, '').padStart(15, '0'))
}
