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

/** The whole days (UTC) inside a range, which are summed up already, and what is left of it at both ends. */
export function splitByDay({ from, to }: Range): { days: Range; edges: Range[] } {
  const first = Math.ceil(from.getTime() / DAY_MS) * DAY_MS
  const last = Math.floor(to.getTime() / DAY_MS) * DAY_MS
  if (first >= last) return { days: { from, to: from }, edges: [{ from, to }] }
  const edges = [
    { from, to: new Date(first) },
    { from: new Date(last), to },
  ]
  return { days: { from: new Date(first), to: new Date(last) }, edges }
}
