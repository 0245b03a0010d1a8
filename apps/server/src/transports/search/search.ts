import type { OpenFile } from '../disk'
import type { Sought } from './pattern'
import type { Match } from './scan'

export interface SearchOptions extends Sought {
  offset: number
  /** The maximum number of matches. */
  limit: number
  stop(): boolean
}

export interface SearchResult {
  /** Lines are counted from `offset`. */
  matches: Match[]
  /** Where to continue; `lines` is the number of line endings between `offset` and there. */
  next: number
  lines: number
  atEnd: boolean
  size: number
}

/** Small enough to be searched quickly on this machine. */
const sliceBytes = 16 * 1024 * 1024

/** Searches slice by slice, so that it can be stopped in between. */
export async function searchFile(
  file: OpenFile,
  { offset, limit, stop, ...sought }: SearchOptions,
): Promise<SearchResult> {
  const matches: Match[] = []
  let [next, lines, atEnd] = [offset, 0, false]
  do {
    const slice = { ...sought, offset: next, length: sliceBytes, limit: limit - matches.length }
    const found = await file.search(slice)
    const before = lines
    matches.push(...found.matches.map((match) => ({ ...match, line: before + match.line })))
    lines += found.lines
    next = found.next
    atEnd = found.atEnd
  } while (!atEnd && matches.length < limit && !stop())
  const { size } = await file.look()
  return { matches, next, lines, atEnd, size }
}
