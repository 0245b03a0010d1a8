import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { split, type Disk, type Entry, type Listing, type OpenFile, type Parts } from './disk'
import { coded, errorCode, fileError, type Step } from './error'
import { searchFile, type SearchOptions, type SearchResult } from './search/search'
import { tail, type TailOptions, type TailPiece } from './tail'

type Content = string | Uint8Array | AsyncIterable<string | Uint8Array>

interface WriteOptions {
  /**
   * `create` fails if the name is taken. `replace` replaces an existing file and keeps its permissions. Both are
   * atomic. A number resumes an upload at this offset; the file is truncated there. A partial upload is visible, so
   * write it under a temporary name and rename it when it is complete.
   */
  how: 'create' | 'replace' | number
  /** Permission bits of a new file: 0o600. */
  permissions?: number
}

/** The files below one root. Paths are relative to it and have slashes; '' is the root itself. */
export interface Files {
  list(path: string, options?: { limit?: number }): Promise<Listing>
  stat(path: string): Promise<Entry>
  /** Reads a range of the file in its current length; `stream` must be read to its end or destroyed. */
  read(path: string, range?: { offset?: number; length?: number }): Promise<FileReading>
  /** Reads a small file completely; fails if it exceeds `maxBytes`. */
  readText(path: string, options: { maxBytes: number }): Promise<string>
  tail(path: string, options: TailOptions): AsyncGenerator<TailPiece, void>
  /** Searches from an offset to the end of the file, unless `stop` or the limit ends it first. */
  search(path: string, options: SearchOptions): Promise<SearchResult>
  /** Returns the file's size when it is on disk. */
  write(path: string, content: Content, options: WriteOptions): Promise<{ size: number }>
  mkdir(path: string, options?: { parents?: boolean }): Promise<void>
  /**
   * Sets the permission bits, such as 0o644. With `below`, it fails if the path now leads through a link below that
   * folder, which another user may have created in the meantime.
   */
  permit(path: string, permissions: number, options?: { below?: string }): Promise<void>
  remove(path: string, options?: { recursive?: boolean }): Promise<void>
  rename(from: string, to: string, options?: { replace?: boolean }): Promise<void>
  /** The folder or file as tar.gz. Links are packed as links, never their targets. */
  archive(path: string): Promise<Readable>
}

interface FileReading {
  size: number
  modifiedAt: number
  stream: Readable
}

/** Large enough to use a connection with 20 ms latency fully, small enough for hundreds of readers. */
const chunkBytes = 512 * 1024

interface Place {
  disk(): Promise<Disk>
  /** Runs tar on the machine that has the files; `parts` contain no links. */
  pack(parts: Parts): Promise<Readable>
  /** How paths are split; by default all are below the root. */
  split?: typeof split
}

export function filesOn(place: Place): Files {
  const splitPath = place.split ?? split
  const attempt = async <T>(
    step: Step,
    path: string,
    action: (disk: Disk, parts: string[]) => Promise<T>,
  ): Promise<T> => {
    const parts = splitPath(path, step)
    try {
      return await action(await place.disk(), parts)
    } catch (error) {
      throw fileError(step, path, error)
    }
  }

  const read: Files['read'] = (path, { offset = 0, length = Infinity } = {}) =>
    attempt('read file', path, async (disk, parts) => {
      const file = await disk.open(parts, { for: 'read' })
      try {
        const { size, modifiedAt } = await file.look()
        return { size, modifiedAt, stream: reading(file, offset, Math.min(size, offset + length), path) }
      } catch (error) {
        await file.close()
        throw error
      }
    })

  return {
    read,
    list: (path, { limit = 10_000 } = {}) =>
      attempt('list folder', path, (disk, parts) => disk.list(parts, limit)),
    stat: (path) => attempt('stat file', path, (disk, parts) => disk.stat(parts)),
    readText: async (path, { maxBytes }) => {
      const { size, stream } = await read(path, { length: maxBytes })
      const text = Buffer.concat(await stream.toArray()).toString()
      if (size > maxBytes)
        throw fileError(
          'read file',
          path,
          new Error(`it has ${size} bytes and at most ${maxBytes} can be read at once`),
        )
      return text
    },
    search: (path, options) =>
      attempt('read file', path, async (disk, parts) => {
        const file = await disk.open(parts, { for: 'read' })
        try {
          return await searchFile(file, options)
        } finally {
          await file.close()
        }
      }),
    tail: (path, options) => tail((action) => attempt('read file', path, action), options),
    write: (path, content, options) =>
      attempt('write file', path, async (disk, parts) => {
        if (parts.length === 0) throw coded('EISDIR')
        return typeof options.how === 'number'
          ? resume(disk, parts, content, options.how, options.permissions)
          : writeWhole(disk, parts, content, options.how === 'replace', options.permissions)
      }),
    mkdir: (path, { parents = false } = {}) =>
      attempt('create folder', path, async (disk, parts) => {
        // Usually only the last folder is missing, so it is tried first.
        const make = async (depth: number, above: boolean): Promise<void> => {
          try {
            await disk.mkdir(parts.slice(0, depth))
          } catch (error) {
            if (!parents) throw error
            if (errorCode(error) === 'ENOENT' && depth > 1 && !above) {
              await make(depth - 1, false)
              return make(depth, true)
            }
            const there = await disk.stat(parts.slice(0, depth)).catch(() => undefined)
            if (there?.kind !== 'folder') throw error
          }
        }
        await make(parts.length, false)
      }),
    permit: (path, permissions, { below } = {}) =>
      attempt('change permissions', path, async (disk, parts) => {
        if (below === undefined) return disk.permit(parts, permissions)
        const top = splitPath(below, 'change permissions')
        const [real, folder] = [await disk.resolve(parts), await disk.resolve(top)]
        if (real.join('/') !== [...folder, ...parts.slice(top.length)].join('/')) throw coded('ELOOP')
        return disk.permit(real, permissions)
      }),
    remove: (path, { recursive = false } = {}) =>
      attempt('remove', path, async (disk, parts) => {
        if (parts.length === 0) throw coded('EACCES')
        await disk.remove(parts, { recursive })
      }),
    rename: (from, to, { replace = false } = {}) =>
      attempt('rename', from, async (disk, parts) => {
        const target = splitPath(to, 'rename')
        if (parts.length === 0 || target.length === 0) throw coded('EACCES')
        await disk.rename(parts, target, { replace }).catch((error: unknown) => {
          throw fileError('rename', errorIsAboutTarget(error) ? to : from, error)
        })
      }),
    archive: (path) =>
      attempt('pack folder', path, async (disk, parts) => {
        const real = await disk.resolve(parts)
        await disk.stat(real)
        return place.pack(real)
      }),
  }
}

const errorIsAboutTarget = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'EEXIST' || error.code === 'ENOTEMPTY')

function reading(file: OpenFile, from: number, to: number, path: string): Readable {
  let offset = from
  const fetch = () => {
    const wanted = Math.min(chunkBytes, to - offset)
    return wanted > 0 ? file.read(offset, wanted) : Promise.resolve(Buffer.alloc(0))
  }
  // The next piece is fetched while the current one is used.
  let ahead: Promise<Buffer> | undefined
  const next = async (stream: Readable) => {
    const data = await (ahead ?? fetch())
    offset += data.length
    ahead = data.length === chunkBytes ? fetch() : undefined
    ahead?.catch(() => undefined)
    stream.push(data.length > 0 ? data : null)
  }
  return new Readable({
    highWaterMark: chunkBytes,
    read() {
      next(this).catch((error: unknown) => this.destroy(fileError('read file', path, error)))
    },
    destroy(error, done) {
      file.close().then(
        () => done(error),
        () => done(error),
      )
    },
  })
}

async function* pieces(content: Content): AsyncGenerator<Buffer> {
  if (typeof content === 'string' || content instanceof Uint8Array) {
    yield* cut(Buffer.from(content))
    return
  }
  for await (const piece of content) yield* cut(Buffer.from(piece))
}

function* cut(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += chunkBytes) yield data.subarray(at, at + chunkBytes)
}

async function fill(file: OpenFile, content: Content, from: number): Promise<number> {
  let offset = from
  for await (const piece of pieces(content)) {
    await file.write(offset, piece)
    offset += piece.length
  }
  await file.sync()
  return offset
}

/** Writes a draft next to the file and renames it to the file only when it is complete and on disk. */
async function writeWhole(
  disk: Disk,
  given: Parts,
  content: Content,
  replace: boolean,
  permissions?: number,
) {
  const parts = replace ? await disk.resolve(given) : given
  const before = await disk.stat(parts).catch(() => undefined)
  if (before && !replace) throw coded('EEXIST')
  if (before && before.kind !== 'file') throw coded(before.kind === 'folder' ? 'EISDIR' : 'ENOTFILE')
  const draft = [...parts.slice(0, -1), `.flotilla-${randomBytes(8).toString('hex')}.part`]
  const file = await disk.open(draft, { for: 'create', mode: permissions })
  try {
    let size: number
    try {
      const kept = permissions ?? before?.permissions
      if (kept !== undefined) await file.permit(kept)
      size = await fill(file, content, 0)
    } finally {
      await file.close()
    }
    await disk.rename(draft, parts, { replace })
    return { size }
  } catch (error) {
    await disk.remove(draft, { recursive: false }).catch(() => undefined)
    throw error
  }
}

async function resume(disk: Disk, parts: Parts, content: Content, offset: number, permissions?: number) {
  const file = await disk.open(parts, { for: 'update', mode: permissions })
  try {
    const { size } = await file.look()
    if (size < offset) throw coded('EOFFSET')
    if (size > offset) await file.truncate(offset)
    return { size: await fill(file, content, offset) }
  } finally {
    await file.close()
  }
}
