import type { Line } from './ansi'

export type Match = { row: number; at: number }

/** No one steps through more. */
export const MATCHES_MAX = 5000

/** Case-insensitive matches in the loaded rows. */
export function findMatches(rows: readonly Line[], wanted: string): Match[] {
  const needle = wanted.toLowerCase()
  if (needle === '') return []
  const found: Match[] = []
  for (const [row, { text }] of rows.entries()) {
    const line = text.toLowerCase()
    for (let at = line.indexOf(needle); at >= 0; at = line.indexOf(needle, at + needle.length)) {
      found.push({ row, at })
      if (found.length >= MATCHES_MAX) return found
    }
  }
  return found
}

export type Piece = { text: string; match: boolean; at: number }

/** Splits a text at its matches. */
export function cutAt(text: string, wanted: string): Piece[] {
  const needle = wanted.toLowerCase()
  if (needle === '') return [{ text, match: false, at: 0 }]
  const line = text.toLowerCase()
  const pieces: Piece[] = []
  let done = 0
  for (let at = line.indexOf(needle); at >= 0; at = line.indexOf(needle, done)) {
    if (at > done) pieces.push({ text: text.slice(done, at), match: false, at: done })
    pieces.push({ text: text.slice(at, at + needle.length), match: true, at })
    done = at + needle.length
  }
  if (done < text.length) pieces.push({ text: text.slice(done), match: false, at: done })
  return pieces
}
