import { fail } from '../../fail'

const DAY_MS = 24 * 60 * 60_000
/** Until 2100: far enough, and every query stays bounded. */
const MOST_MS = 4_102_444_800_000

export type Range = { from: Date; to: Date }

/** The times in a path. The end is not part of the range. */
export function readRange({ startMs, endMs }: { startMs: string; endMs: string }): Range {
  const fields: Record<string, string> = {}
  const read = (name: string, text: string) => {
    const ms = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(ms <= MOST_MS)) fields[name] = 'Must be milliseconds since 1970'
    return ms
  }
  const from = read('startMs', startMs)
  const to = read('endMs', endMs)
  if (from >= to) fields.endMs = 'Must be later than startMs'
  if (Object.keys(fields).length > 0) fail('bad_input', { fields })
  return { from: new Date(from), to: new Date(to) }
}

const dayStart = (date: Date) => new Date(Math.floor(date.getTime() / DAY_MS) * DAY_MS)
const monthStart = (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()))
const nextMonth = (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1))

/**
 * The whole months and days (UTC) inside a range, which are summed up already, and what is left of it. `withMonths` is
 * false where each day is wanted.
 */
export function splitRange(
  { from, to }: Range,
  { withMonths }: { withMonths: boolean },
): { months: Range[]; days: Range[]; edges: Range[]; whole: Range } {
  const first = dayStart(new Date(from.getTime() + DAY_MS - 1))
  const last = dayStart(to)
  if (first > last) return { months: [], days: [], edges: [{ from, to }], whole: { from, to: from } }
  const parts = (...ranges: Range[]) => ranges.filter((range) => range.from < range.to)
  const edges = parts({ from, to: first }, { from: last, to })
  const whole = { from: first, to: last }
  const firstMonth = first.getTime() === monthStart(first).getTime() ? first : nextMonth(first)
  const lastMonth = monthStart(last)
  if (!withMonths || firstMonth >= lastMonth) return { months: [], days: [whole], edges, whole }
  return {
    months: [{ from: firstMonth, to: lastMonth }],
    days: parts({ from: first, to: firstMonth }, { from: lastMonth, to: last }),
    edges,
    whole,
  }
}
