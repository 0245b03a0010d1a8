import * as z from 'zod/mini'
import { BackupError } from './error'

// Inside the container, compressed, is one record after the other, each with a JSON head and a body in frames. A frame
// is four bytes with its length and that many bytes; an empty one ends the body. Only the frame that is read needs to
// be in memory. Tar would need the length of a body before its first byte, but tables are copied as they are read.

const FRAME_BYTES_MAX = 1024 * 1024 * 1024

const count = z.number().check(z.int(), z.minimum(0))
/** File names are bytes, so a path here has one character per byte. */
const FileFields = { root: z.enum(['data', 'homes']), path: z.string(), mode: count, modifiedAt: z.number() }

const Manifest = z.object({
  kind: z.literal('manifest'),
  /** In the order in which they were applied. */
  migrations: z.array(z.object({ id: count, name: z.string() })),
  /** Identifies the master key that the secrets are sealed with. */
  masterKeyMark: z.nullable(z.string()),
  /** The folder with users' homes: waiting jobs contain paths in it. */
  homes: z.string(),
})
export type Manifest = z.infer<typeof Manifest>

const Head = z.discriminatedUnion('kind', [
  Manifest,
  z.object({ kind: z.literal('master-key') }),
  /** Each frame of the body is a JSON array of rows as PostgreSQL writes them. */
  z.object({ kind: z.literal('table'), name: z.string(), columns: z.array(z.string()) }),
  z.object({ kind: z.literal('sequences') }),
  z.object({ kind: z.literal('tasks') }),
  z.object({ kind: z.literal('folder'), ...FileFields }),
  z.object({ kind: z.literal('file'), ...FileFields }),
  z.object({ kind: z.literal('link'), target: z.string(), ...FileFields }),
  z.object({ kind: z.literal('end'), rows: count, files: count }),
])
export type Head = z.infer<typeof Head>
export type FileHead = Extract<Head, { root: string }>

const END = Buffer.alloc(4)

function* frame(bytes: Buffer): Generator<Buffer> {
  if (bytes.length === 0) return
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  yield length
  yield bytes
}

/** One record as bytes. */
export async function* record(
  head: Head,
  body: AsyncIterable<Buffer> | Iterable<Buffer> = [],
): AsyncGenerator<Buffer> {
  yield* frame(Buffer.from(JSON.stringify(head)))
  for await (const bytes of body) yield* frame(bytes)
  yield END
}

export type Reading = { head: Head; body: AsyncGenerator<Buffer> }

/** The records in a stream of bytes. A body that is not read is skipped. */
export async function* readRecords(source: AsyncIterable<Buffer>): AsyncGenerator<Reading> {
  const next = frames(source)
  for (;;) {
    const first = await next()
    if (first === undefined) return
    if (first === null) throw new BackupError('This backup is damaged: a record has no head.')
    const body = (async function* () {
      for (;;) {
        const bytes = await next()
        if (bytes === undefined) throw new BackupError('This backup is damaged: its last record has no end.')
        if (bytes === null) return
        yield bytes
      }
    })()
    yield { head: Head.parse(JSON.parse(first.toString())), body }
    // Skips what the reader left of the body.
    for await (const _ of body);
  }
}

/** Each call returns the next frame, null for an empty one, and undefined at the end of the stream. */
function frames(source: AsyncIterable<Buffer>): () => Promise<Buffer | null | undefined> {
  const iterator = source[Symbol.asyncIterator]()
  let parts: Buffer[] = []
  let size = 0
  const take = async (wanted: number): Promise<Buffer | undefined> => {
    while (size < wanted) {
      const { value, done } = await iterator.next()
      if (done) return undefined
      parts.push(value)
      size += value.length
    }
    const all = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
    parts = [all.subarray(wanted)]
    size -= wanted
    return all.subarray(0, wanted)
  }
  return async () => {
    const length = (await take(4))?.readUInt32BE()
    if (length === undefined) {
      if (size > 0) throw new BackupError('This backup is damaged: its last record has no end.')
      return undefined
    }
    if (length === 0) return null
    if (length > FRAME_BYTES_MAX) throw new BackupError('This backup is damaged: a record is too long.')
    const bytes = await take(length)
    if (bytes === undefined) throw new BackupError('This backup is damaged: its last record has no end.')
    return bytes
  }
}
