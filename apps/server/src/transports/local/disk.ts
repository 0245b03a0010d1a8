import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, fstat, type BigIntStats, type Stats } from 'node:fs'
import {
  chmod,
  link,
  lstat,
  mkdir,
  open,
  opendir,
  rename,
  rmdir,
  unlink,
  type FileHandle,
} from 'node:fs/promises'
import { PassThrough, type Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  kindOf,
  modeString,
  unfollowed,
  type Disk,
  type Entry,
  type OpenFile,
  type OpenFor,
  type Parts,
  type Root,
} from '../disk'
import { coded, errorCode } from '../error'
import { scan } from '../search/scan'
import { byDescriptor, openFolder, throughOnly, walk, type Folder, type Found } from './walk'

export interface LocalDisk extends Disk {
  /** The folder or file as tar.gz; `parts` contain no links. Must be read to its end or destroyed. */
  pack(parts: Parts): Promise<Readable>
}

/**
 * The files of this machine below `root`, with the rights of this process. The confinement also holds against links
 * that are created while a call is in progress (see walk.ts).
 */
export function localDisk(root: Root): LocalDisk {
  const at = <T>(parts: readonly string[], action: (found: Found) => Promise<T>) =>
    walk(root, parts, { follow: true }, action)
  const atLink = <T>(parts: readonly string[], action: (found: Found) => Promise<T>) =>
    walk(root, parts, { follow: false }, action)

  const targetOf = (parts: readonly string[]): Promise<Entry['target']> =>
    at(parts, async (found) => notLink((await statOf(found)).mode)).catch((error: unknown) =>
      unfollowed(errorCode(error)),
    )

  const entry = async (parts: readonly string[], stat: Stats): Promise<Entry> => ({
    name: parts.at(-1) ?? '',
    kind: kindOf(stat.mode),
    ...(stat.isSymbolicLink() && { target: await targetOf(parts) }),
    size: stat.size,
    modifiedAt: wholeMs(stat.mtimeMs),
    mode: modeString(stat.mode),
    permissions: stat.mode & 0o7777,
    uid: stat.uid,
    gid: stat.gid,
  })

  return {
    list: (parts, limit) =>
      at(parts, async ({ folder, name }) => {
        const handle = await openFolder(folder.entry(name ?? '.'), constants.O_RDONLY)
        try {
          const self = selfOf(handle, folder, name)
          const { names, cut } = await namesIn(self, NAMES_MAX)
          const entries = await inTurns(names.toSorted().slice(0, limit), async (one) => {
            // Entries that were removed since the folder was read are omitted.
            const stat = await lstat(`${self}/${one}`).catch(() => undefined)
            return stat && entry([...parts, one], stat)
          })
          const found = entries.filter((one) => one !== undefined)
          return { entries: found, truncated: cut || names.length > limit }
        } finally {
          await handle.close()
        }
      }),
    stat: (parts) =>
      at(parts, async (found) => ({
        ...(await entry(found.parts, await statOf(found))),
        name: parts.at(-1) ?? '',
      })),
    resolve: (parts) => at(parts, (found) => Promise.resolve(found.parts)),
    open: (parts, how) =>
      at(parts, async ({ folder, name }) => {
        if (name === undefined) throw coded('EISDIR')
        const handle = await open(folder.entry(name), openFlags[how.for], modeOf(how))
        try {
          const stat = await handle.stat()
          if (!stat.isFile()) throw coded(stat.isDirectory() ? 'EISDIR' : 'ENOTFILE')
          return openFile(handle)
        } catch (error) {
          await handle.close()
          throw error
        }
      }),
    mkdir: (parts) =>
      atLink(parts, async ({ folder, name }) => {
        if (name === undefined) throw coded('EEXIST')
        await mkdir(folder.entry(name))
      }),
    permit: (parts, permissions) =>
      at(parts, async ({ folder, name }) => {
        const handle = await open(folder.entry(name ?? '.'), constants.O_NOFOLLOW | throughOnly)
        try {
          // A link has just replaced the entry that the walk had found.
          if ((await handle.stat()).isSymbolicLink()) throw coded('ELOOP')
          await chmod(byDescriptor ? `/proc/self/fd/${handle.fd}` : folder.entry(name ?? '.'), permissions)
        } finally {
          await handle.close()
        }
      }),
    remove: (parts, { recursive }) =>
      atLink(parts, async ({ folder, name }) => {
        if (name === undefined) throw coded('EACCES')
        await remove(folder, name, recursive)
      }),
    rename: (from, to, { replace }) =>
      atLink(from, (source) =>
        atLink(to, async (target) => {
          if (source.name === undefined || target.name === undefined) throw coded('EACCES')
          const [old, fresh] = [source.folder.entry(source.name), target.folder.entry(target.name)]
          if (replace) await rename(old, fresh)
          else await renameUnlessTaken(old, fresh)
          await syncFolder(target.folder)
        }),
      ),
    // tar starts in the open folder, even if that is renamed or replaced, and does not follow links.
    pack: (parts) =>
      atLink(parts, async ({ folder, name = '' }) => {
        const tar = spawn('tar', ['-czf', '-', '--', `./${name}`], {
          cwd: folder.self,
          stdio: ['ignore', 'pipe', 'ignore'],
        })
        await once(tar, 'spawn')
        // Node discards the remaining output of a program that has ended unless the output is already being read.
        return tar.stdout.pipe(new PassThrough()).once('close', () => tar.kill())
      }),
  }
}

/** Opening must never block: a named pipe would occupy one of Node's few threads forever. */
const safely = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY
const openFlags: Record<OpenFor['for'], number> = {
  read: safely | constants.O_RDONLY,
  create: safely | constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
  update: safely | constants.O_WRONLY | constants.O_CREAT,
}
const modeOf = (how: OpenFor) => (how.for === 'read' ? undefined : how.mode)

const selfOf = (handle: FileHandle, folder: Folder, name: string | undefined) =>
  byDescriptor ? `/proc/self/fd/${handle.fd}` : folder.entry(name ?? '.')

const statOpen = promisify(fstat) as (fd: number) => Promise<Stats>
const statOf = ({ folder, name }: Found) =>
  name === undefined ? statOpen(folder.fd) : lstat(folder.entry(name))

/** Far more than are shown, and few enough for a worker's memory. */
const NAMES_MAX = 100_000
/** Few, because the names of every folder on the path are kept in memory meanwhile. */
const REMOVED_AT_ONCE = 1000

/** The names in a folder in the system's order; `cut` if there are more than `most`. */
async function namesIn(place: string, most: number): Promise<{ names: string[]; cut: boolean }> {
  const names: string[] = []
  for await (const { name } of await opendir(place, { bufferSize: 1024 })) {
    if (names.length === most) return { names, cut: true }
    names.push(name)
  }
  return { names, cut: false }
}

const notLink = (mode: number) => {
  const kind = kindOf(mode)
  return kind === 'link' ? 'missing' : kind
}

/** Makes a new name survive a power failure. A folder that is writable but not readable cannot be synced. */
async function syncFolder(folder: Folder): Promise<void> {
  const handle = await openFolder(folder.entry('.'), constants.O_RDONLY).catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

/** Rounds, so that both kinds of stat give the same modification time, which is compared when a file is saved. */
const wholeMs = (ms: number) => Math.round(ms)
const modifiedAt = ({ mtimeNs }: BigIntStats) =>
  wholeMs(Number(mtimeNs / 1_000_000_000n) * 1000 + Number(mtimeNs % 1_000_000_000n) / 1_000_000)
const identity = (stat: BigIntStats) => `${stat.dev}:${stat.ino}`

function openFile(handle: FileHandle): OpenFile {
  const read: OpenFile['read'] = async (offset, length) => {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, offset)
    return buffer.subarray(0, bytesRead)
  }
  return {
    read,
    search: (slice) => scan(read, slice),
    look: async () => {
      const stat = await handle.stat({ bigint: true })
      return { size: Number(stat.size), modifiedAt: modifiedAt(stat), id: identity(stat) }
    },
    write: async (offset, data) => {
      for (let done = 0; done < data.length;)
        done += (await handle.write(data, done, data.length - done, offset + done)).bytesWritten
    },
    truncate: (size) => handle.truncate(size),
    permit: (permissions) => handle.chmod(permissions),
    sync: () => handle.sync(),
    close: () => handle.close(),
  }
}

/** Renames unless the name is taken, which the system checks atomically; rename alone would replace the target. */
async function renameUnlessTaken(from: string, to: string): Promise<void> {
  const stat = await lstat(from)
  if (!stat.isDirectory()) {
    try {
      await link(from, to)
      return await unlink(from)
    } catch (error) {
      // Some file systems do not support hard links; there a race between check and rename remains.
      if (!noHardLinks.has(errorCode(error) ?? '')) throw error
    }
  }
  const taken = await lstat(to).catch(() => undefined)
  if (taken) throw coded('EEXIST')
  await rename(from, to)
}
const noHardLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'])

const deepest = 512

async function remove(folder: Folder, name: string, recursive: boolean, depth = 0): Promise<void> {
  const place = folder.entry(name)
  const stat = await lstat(place)
  if (!stat.isDirectory()) return unlink(place)
  if (!recursive) return rmdir(place)
  if (depth > deepest) throw coded('EFAILED', 'folders are nested too deeply')
  const handle = await openFolder(place, constants.O_RDONLY)
  try {
    const self = selfOf(handle, folder, name)
    const inner: Folder = { fd: handle.fd, parts: [], self, entry: (one) => `${self}/${one}` }
    // Names beyond the limit are read when the previous ones are removed.
    for (let more = true; more;) {
      const { names, cut } = await namesIn(self, REMOVED_AT_ONCE)
      for (const one of names)
        await remove(inner, one, true, depth + 1).catch((error: unknown) => {
          if (errorCode(error) !== 'ENOENT') throw error
        })
      more = cut
    }
  } finally {
    await handle.close()
  }
  await rmdir(place)
}

/** Runs the action in batches, so that folders with thousands of files are not queried all at once. */
async function inTurns<T, R>(items: readonly T[], action: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < items.length; from += 64)
    results.push(...(await Promise.all(items.slice(from, from + 64).map(action))))
  return results
}
