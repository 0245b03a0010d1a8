const MAX_BYTES = 16 * 1024 * 1024

/** The text of a response, with limits on size and time. */
export async function readAtMost({ body }: Response, max = MAX_BYTES): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    size += piece.length
    // Leaving the loop closes the connection.
    if (size > max) throw new Error('The response is too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
