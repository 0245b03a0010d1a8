import { NAV_SEARCH_MAX } from '@flotilla/contract/limits'
import type { FoundKind } from '@flotilla/contract/site/search'

/** An option of the search, which opens a page or runs an action. */
export type Suggestion = {
  kind: 'place' | 'action' | FoundKind
  key: string
  label: string
  /** The kind or location, shown next to the name. */
  under: string
  /** Keywords. */
  also: string
} & ({ to: string; search?: Record<string, string> } | { run: () => void })

const words = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s/-]+/)
    .filter(Boolean)

/** How well the name matches; lower is better. */
function rank({ label }: Suggestion, text: string): number {
  if (label.toLowerCase().startsWith(text.trim().toLowerCase())) return 0
  const has = words(label)
  return words(text).every((part) => has.some((word) => word.startsWith(part))) ? 1 : 2
}

/** The suggestions in which every typed word is the start of a word; names that start with the text come first. */
export function matching(all: readonly Suggestion[], text: string): Suggestion[] {
  const typed = words(text)
  return all
    .filter(({ label, under, also }) => {
      const has = words(`${label} ${under} ${also}`)
      return typed.every((part) => has.some((word) => word.startsWith(part)))
    })
    .toSorted((one, other) => rank(one, text) - rank(other, text))
}

/** At most ten, best first. Kinds take turns, so that many jobs do not hide the only cluster. */
export function best(all: readonly Suggestion[], text: string): Suggestion[] {
  const kinds = [...new Set(all.map(({ kind }) => kind))]
  const ofKind = kinds.map((kind) => all.filter((one) => one.kind === kind))
  const turns = Math.max(0, ...ofKind.map(({ length }) => length))
  const chosen = Array.from({ length: turns }, (_, turn) => ofKind.flatMap((list) => list[turn] ?? []))
    .flat()
    .slice(0, NAV_SEARCH_MAX)
  const order = (one: Suggestion) => all.indexOf(one)
  return chosen.toSorted((one, other) => rank(one, text) - rank(other, text) || order(one) - order(other))
}
