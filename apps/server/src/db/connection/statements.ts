/** Statements that are rare, or have lists of varying length, would only fill the memory of the database. */
const NAMED_FROM = 10
const NAMED_MAX = 200
const COUNTED_MAX = 5000

/**
 * The prefix of a statement whose best plan depends on its values, such as a report on a time range: one plan for all
 * values can be a hundred times slower, which outweighs the cost of planning.
 */
export const PLANNED_EACH_TIME = '/* planned each time */'

/** Names frequent statements: a connection parses and plans a named statement only once. */
export function makeStatementNames() {
  const counts = new Map<string, number>()
  const names = new Map<string, string>()
  let generation = 0
  return {
    of(text: string): string | undefined {
      const known = names.get(text)
      if (known !== undefined || names.size >= NAMED_MAX) return known
      if (text.trimStart().startsWith(PLANNED_EACH_TIME)) return undefined
      const count = (counts.get(text) ?? 0) + 1
      if (count < NAMED_FROM) {
        if (count > 1 || counts.size < COUNTED_MAX) counts.set(text, count)
        return undefined
      }
      counts.delete(text)
      const name = `${generation}.${names.size}`
      names.set(text, name)
      return name
    },
    /** Discards the names, so that statements get new names and new plans. */
    forget(): void {
      generation++
      names.clear()
    },
  }
}
