const MAX_BYTES = 16 * 1024 * 1024

/** The text of an answer; one that does not end is not waited for, and does not fill the memory. */
export async function readAtMost({ body }: Response, max = MAX_BYTES): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    size += piece.length
    // Leaving the loop closes the connection.
    if (size > max) throw new Error('The answer is too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
