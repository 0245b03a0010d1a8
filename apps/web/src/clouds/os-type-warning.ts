import type { OsType } from '@flotilla/contract/clouds/providers'

/** Why the chosen system may be no good choice. */
export function osTypeWarning(osTypes: readonly OsType[], value: string): string | null {
  const chosen = osTypes.find(({ id }) => id === value)
  if (chosen?.unavailable !== undefined) return chosen.unavailable
  if (chosen?.endOfLife)
    return `${chosen.name} gets no more updates since ${chosen.endOfLife}: choose another one for anything new.`
  return null
}
