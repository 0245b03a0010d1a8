import type { Readable, Writable } from 'node:stream'

/**
 * A message on a pipe: a head as JSON and a body of raw bytes. Node's own IPC channel is not used because it carries
 * bytes only in V8's format, and data from an account's process must only be parsed as JSON.
 */
interface Frame {
  head: unknown
  body: Buffer
}

/** Writes the total length, the length of the head, the head and the body. */
export function writeFrame(to: Writable, head: unknown, body: Buffer = Buffer.alloc(0)): void {
  const text = Buffer.from(JSON.stringify(head))
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32BE(text.length + body.length, 0)
  lengths.writeUInt32BE(text.length, 4)
  to.write(Buffer.concat([lengths, text]))
  if (body.length > 0) to.write(body)
}

export async function* readFrames(from: Readable): AsyncGenerator<Frame> {
  let pending: Buffer[] = []
  let bytes = 0
  let needed = 8
  for await (const chunk of from) {
    pending.push(chunk as Buffer) // a pipe without an encoding gives buffers
    bytes += (chunk as Buffer).length
    while (bytes >= needed) {
      const all = pending.length === 1 && pending[0] ? pending[0] : Buffer.concat(pending)
      pending = [all]
      const total = 8 + all.readUInt32BE(0)
      needed = total
      if (bytes < total) break
      const headEnd = 8 + all.readUInt32BE(4)
      yield { head: JSON.parse(all.toString('utf8', 8, headEnd)), body: all.subarray(headEnd, total) }
      pending = [all.subarray(total)]
      bytes -= total
      needed = 8
    }
  }
}
