import { useState } from 'react'
import { useSearchParam } from '../paths'

/** A range of days in the user's time zone. The end is exclusive. */
export type Range = { from: number; to: number }

const startOfDay = (at: Date, days = 0): number =>
  new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime()

/** Until the end of today, so that a range stays the same while the page is open. */
const lastDays = (count: number) => (now: Date) => ({
  from: startOfDay(now, 1 - count),
  to: startOfDay(now, 1),
})

export const presets = [
  { id: 'today', label: 'Today', range: lastDays(1) },
  { id: '7d', label: 'Last 7 days', range: lastDays(7) },
  { id: '30d', label: 'Last 30 days', range: lastDays(30) },
  { id: '90d', label: 'Last 90 days', range: lastDays(90) },
  {
    id: 'month',
    label: 'This month',
    range: (now: Date) => ({
      from: new Date(now.getFullYear(), now.getMonth(), 1).getTime(),
      to: new Date(now.getFullYear(), now.getMonth() + 1, 1).getTime(),
    }),
  },
  {
    id: 'year',
    label: 'This year',
    range: (now: Date) => ({
      from: new Date(now.getFullYear(), 0, 1).getTime(),
      to: new Date(now.getFullYear() + 1, 0, 1).getTime(),
    }),
  },
] as const
const DEFAULT = '30d'
export const CUSTOM = 'custom'

const two = (value: number) => String(value).padStart(2, '0')
/** A day as date inputs expect it, such as '2026-11-16', in the user's time zone. */
export const dateText = (at: number): string => {
  const date = new Date(at)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
/** The start of the day, or undefined if it is not a date. */
export function readDate(text: string | undefined, days = 0): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? '') ?? []
  if (year === undefined) return undefined
  const at = new Date(Number(year), Number(month) - 1, Number(day) + days).getTime()
  return at > 0 ? at : undefined
}

/** The range in the URL, with the search parameters that keep it in a link. */
export function useRange(): { range: Range; chosen: string; search: Record<string, string> } {
  const [wanted, first, last] = [useSearchParam('range'), useSearchParam('from'), useSearchParam('to')]
  const [from, to] = [readDate(first), readDate(last, 1)]
  const [opened] = useState(() => new Date())
  if (first !== undefined && last !== undefined && from !== undefined && to !== undefined && from < to)
    return { range: { from, to }, chosen: CUSTOM, search: { from: first, to: last } }
  const preset = presets.find(({ id }) => id === wanted) ?? presets.find(({ id }) => id === DEFAULT)
  const { id, range } = preset ?? presets[0]
  return { range: range(opened), chosen: id, search: { range: id } }
}

/** The range as the calls expect it. */
export const rangeInput = ({ from, to }: Range) => ({ startMs: String(from), endMs: String(to) })
