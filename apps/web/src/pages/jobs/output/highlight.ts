import type { OutputMatch } from '@flotilla/contract/jobs/output-search'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The matched text as written in the file. The length of a match is in bytes. */
export const matchText = ({ text, at, length }: OutputMatch): string =>
  decoder.decode(encoder.encode(text.slice(at)).slice(0, length))

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
