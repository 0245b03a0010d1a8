/** A chunk of a file: its text and byte range. */
export type Piece = { text: string; from: number; next: number }

const encoder = new TextEncoder()
export const byteLength = (text: string): number => encoder.encode(text).length

const LOST = '\ufffd'

/**
 * Trims incomplete characters, because a chunk is cut by bytes, possibly inside a character. They are left to the
 * neighboring chunk. At the start, each such byte arrives as one replacement character; at the end, all of them as one.
 */
export function wholeCharacters(piece: Piece, more: { before: boolean; after: boolean }): Piece {
  let { text, from, next } = piece
  const stray = more.before ? (/^\ufffd{1,3}/.exec(text)?.[0].length ?? 0) : 0
  text = text.slice(stray)
  from += stray
  if (more.after && text.endsWith(LOST)) {
    const rest = text.slice(0, -1)
    const cut = next - from - byteLength(rest)
    if (!rest.includes(LOST) && cut >= 1 && cut <= 3) {
      text = rest
      next -= cut
    }
  }
  return { text, from, next }
}

export type Fit = { how: 'append'; text: string } | { how: 'known' } | { how: 'gap' } | { how: 'restart' }

/** How a streamed chunk continues the output that is shown up to `end`. */
export function fit(end: number, piece: Piece): Fit {
  if (piece.from === end) return { how: 'append', text: piece.text }
  // The file was truncated or rewritten, so the server starts at its first byte again.
  if (piece.from === 0) return { how: 'restart' }
  if (piece.from > end) return { how: 'gap' }
  if (piece.next <= end) return { how: 'known' }
  // Part of the chunk is already shown. With binary content, it is unclear which part, so it is read again.
  if (piece.text.includes(LOST)) return { how: 'gap' }
  const bytes = encoder.encode(piece.text).slice(end - piece.from)
  return { how: 'append', text: new TextDecoder().decode(bytes) }
}
