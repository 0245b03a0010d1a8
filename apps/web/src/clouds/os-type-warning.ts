import type { OsType } from '@flotilla/contract/clouds/providers'

/** Why the chosen operating system may be a bad choice. */
export function osTypeWarning(osTypes: readonly OsType[], value: string): string | null {
  const chosen = osTypes.find(({ id }) => id === value)
  if (chosen?.unavailable !== undefined) return chosen.unavailable
  if (chosen?.endOfLife)
    return `${chosen.name} reached its end of life on ${chosen.endOfLife} and no longer gets updates. Choose another operating system for new work.`
  return null
}
