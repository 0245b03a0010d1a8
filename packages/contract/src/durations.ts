const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const units = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [1, 's'],
] as const

/** '1 h 30 min', '2 d': a time limit without zeros. */
export function limitText(seconds: number): string {
  let rest = Math.floor(seconds)
  const parts: string[] = []
  for (const [size, unit] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return parts.join(' ') || '0 s'
}

const two = (value: number): string => String(value).padStart(2, '0')

/** '01:30:00': hours, minutes and seconds. */
export const clockText = (seconds: number): string =>
  `${two(Math.floor(seconds / HOUR))}:${two(Math.floor(seconds / MINUTE) % 60)}:${two(Math.floor(seconds) % 60)}`

const withUnits =
  /^(?:(\d+(?:\.\d+)?) ?d(?:ays?)?)? ?(?:(\d+(?:\.\d+)?) ?h(?:ours?)?)? ?(?:(\d+(?:\.\d+)?) ?m(?:in(?:utes?)?)?)? ?(?:(\d+(?:\.\d+)?) ?s(?:econds?)?)?$/
const clock = /^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/

/**
 * The seconds of an entered duration, or null if it is invalid. Resource managers' formats: 90 is minutes, 90:00 is
 * minutes and seconds, 01:30:00 is hours, minutes and seconds, 2-12 is days and hours. The console's own format, such
 * as 1 h 30 min, is accepted too.
 */
export function parseDuration(text: string): number | null {
  const typed = text.trim().toLowerCase()
  if (/^\d+(\.\d+)?$/.test(typed)) return Number(typed) * MINUTE
  const [whole, days, first = '0', second, third] = clock.exec(typed) ?? []
  if (whole !== undefined) {
    if (days !== undefined) return sum([days, first, second, third])
    return third === undefined ? sum([0, 0, first, second]) : sum([0, first, second, third])
  }
  const given = typed === '' ? null : withUnits.exec(typed)
  return given && sum(given.slice(1))
}

const sum = (parts: readonly (string | number | undefined)[]): number =>
  units.reduce((seconds, [size], at) => seconds + Number(parts[at] ?? 0) * size, 0)
