const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const dayOfYear = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const isSameYear = (at: number, now: number) => new Date(at).getFullYear() === new Date(now).getFullYear()

export const absoluteTime = (at: number): string => full.format(at)

/** '12 s', '3 min', '2 h', '5 d': one unit, rounded down. */
function roughDuration(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`
  return `${Math.floor(ms / DAY)} d`
}

/** '12 s ago', 'in 3 min'; beyond a month, the date, with its year if that is another one. */
export function relativeTime(at: number, now: number): string {
  const age = now - at
  if (Math.abs(age) >= 30 * DAY) return (isSameYear(at, now) ? dayOfYear : day).format(at)
  if (Math.abs(age) < SECOND) return 'just now'
  return age > 0 ? `${roughDuration(age)} ago` : `in ${roughDuration(-age)}`
}
