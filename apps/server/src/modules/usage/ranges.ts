import { fail } from '../../fail'

const DAY_MS = 24 * 60 * 60_000
/** The end of 2099, which keeps every query bounded. */
const MOST_MS = 4_102_444_800_000

export type Range = { from: Date; to: Date }

/** Parses the times in a path. The end is exclusive. */
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
/** A month has three thirds, which start on the 1st, 11th and 21st. */
const thirdStart = (date: Date) => {
  const day = 1 + 10 * Math.min(2, Math.floor((date.getUTCDate() - 1) / 10))
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day))
}
const nextThird = (date: Date) => {
  const day = thirdStart(date).getUTCDate() + 10
  return day > 21 ? nextMonth(date) : new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day))
}
/** The first start of a period that is not before a date. */
const ceil = (date: Date, start: (date: Date) => Date, next: (date: Date) => Date) =>
  start(date).getTime() === date.getTime() ? date : next(date)

export type SumPeriod = 'day' | 'third' | 'month'
/**
 * A part of a range that is not a whole day: added to the sums, or subtracted from a day that was summed as a whole.
 */
export type Edge = Range & { sign: 1 | -1 }
type Split = { sums: Record<SumPeriod, Range[]>; edges: Edge[]; whole: Range }

const parts = <R extends Range>(...ranges: R[]): R[] => ranges.filter((range) => range.from < range.to)

/**
 * The day that contains a time, and whether the time is in its second half, so that the part after it is shorter to
 * read.
 */
function splitDay(at: Date) {
  const start = dayStart(at)
  const isLate = at.getTime() - start.getTime() > DAY_MS / 2
  return { start, end: start.getTime() === at.getTime() ? start : new Date(start.getTime() + DAY_MS), isLate }
}

/**
 * Splits a range into whole months, thirds of months and days (UTC), which are summed up already, and the edges that
 * remain. An edge longer than half a day is the whole day minus the rest, so that at most half a day of single jobs is
 * read at either end. `byDay` is for queries that return each day.
 */
export function splitRange({ from, to }: Range, { byDay }: { byDay: boolean }): Split {
  const [begin, end] = [splitDay(from), splitDay(to)]
  const none = { day: [], third: [], month: [] }
  if (begin.end > end.start) return { sums: none, edges: [{ from, to, sign: 1 }], whole: { from, to: from } }
  const first = begin.isLate ? begin.end : begin.start
  const last = end.isLate ? end.end : end.start
  const edges = parts<Edge>(
    begin.isLate ? { from, to: first, sign: 1 } : { from: first, to: from, sign: -1 },
    end.isLate ? { from: to, to: last, sign: -1 } : { from: last, to, sign: 1 },
  )
  const whole = { from: first, to: last }
  const third = { from: ceil(first, thirdStart, nextThird), to: thirdStart(last) }
  if (byDay || third.from >= third.to) return { sums: { ...none, day: [whole] }, edges, whole }
  const day = parts({ from: first, to: third.from }, { from: third.to, to: last })
  const month = { from: ceil(third.from, monthStart, nextMonth), to: monthStart(third.to) }
  if (month.from >= month.to) return { sums: { ...none, day, third: [third] }, edges, whole }
  const thirds = parts({ from: third.from, to: month.from }, { from: month.to, to: third.to })
  return { sums: { day, third: thirds, month: [month] }, edges, whole }
}
