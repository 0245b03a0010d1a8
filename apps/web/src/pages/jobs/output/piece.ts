/** A part of a file: text and the bytes it stands for. */
export type Piece = { text: string; from: number; next: number }

const encoder = new TextEncoder()
export const byteLength = (text: string): number => encoder.encode(text).length

const LOST = '\ufffd'

/**
 * A piece is cut by bytes, which may lie in the middle of a character. What is not whole at its ends is left to its
 * neighbor: each such byte arrives as one replacement character at the beginning, all of them as one at the end.
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

/** How a piece that came by itself goes with what is shown up to `end`. */
export function fit(end: number, piece: Piece): Fit {
  if (piece.from === end) return { how: 'append', text: piece.text }
  // The file was emptied or written anew: the server then begins at its first byte again.
  if (piece.from === 0) return { how: 'restart' }
  if (piece.from > end) return { how: 'gap' }
  if (piece.next <= end) return { how: 'known' }
  // Part of it is shown already; with bytes that are no text nobody can say which part, so it is read again.
  if (piece.text.includes(LOST)) return { how: 'gap' }
  const bytes = encoder.encode(piece.text).slice(end - piece.from)
  return { how: 'append', text: new TextDecoder().decode(bytes) }
}
