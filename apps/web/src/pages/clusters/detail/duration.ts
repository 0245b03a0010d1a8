const two = (value: number): string => String(value).padStart(2, '0')

/** '4:05' or '1:04:05', for a running clock. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

const units = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** '1 h 30 min': the two largest units, for time limits. */
export function limitText(seconds: number): string {
  const at = units.findIndex(([size]) => seconds >= size)
  if (at < 0) return '0 s'
  let rest = Math.floor(seconds)
  const parts: string[] = []
  for (const [size, unit] of units.slice(at, at + 2)) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return parts.join(' ')
}
