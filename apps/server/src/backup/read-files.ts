import { constants } from 'node:fs'
import { lstat, open, readdir, readlink, stat, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { homesPlaces, isReachable } from '../disk/homes'
import { record, type FileHead } from './records'

const READ_BYTES = 256 * 1024
const PERMISSIONS = 0o777

/** Paths in DATA_DIR that are left out, because they are created again or belong to this machine only. */
const excluded = [
  // The database is in the backup as rows, which every version and every machine can read.
  /^pg\d+(\.new)?$/,
  /^pg-(password|superuser\.new)$/,
  /^embedded\.lock/,
  // Copies of programs and of OpenTofu's plugins.
  /^flotilla-postgresql-/,
  /^plugins$/,
  /^clusters\/[^/]+\/engine\/\.terraform\/providers$/,
  /^tmp$/,
  // Disk space that is reserved for emergencies, and the files that identify the executor's process.
  /^(clusters\/[^/]+\/spool\/)?reserved-room$/,
  /^clusters\/[^/]+\/spool\/(alive\.json|daemon\.lock)$/,
  /^backups$/,
  // The homes have a place of their own in the backup.
  /^homes$/,
  /^restore-in-progress$/,
  // Drafts of files that are being written.
  /\.[0-9a-f]{12}\.new$/,
]

export type FilesOptions = {
  dataDir: string
  /** Files that are left out: the master key, which has its own record, and the backup itself. */
  except: string[]
  /** Called for each file that was left out because it could not be read. */
  onSkipped(file: string): void
}

/** The folder with users' homes, whether or not the server runs as root. */
export async function findHomes(dataDir: string): Promise<string> {
  const { inside, outside } = homesPlaces(dataDir)
  const exists = (folder: string) =>
    stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    )
  const preferInside = (await exists(inside)) && (await isReachable(dataDir))
  return !preferInside && (await exists(outside)) ? outside : inside
}

/** Every file of DATA_DIR and every home as records. Users may change theirs meanwhile; no symlink is followed. */
export async function* fileRecords(
  options: FilesOptions,
): AsyncGenerator<{ head: FileHead; bytes: AsyncGenerator<Buffer> }> {
  const { dataDir, except, onSkipped } = options
  const isExcluded = (relative: string) =>
    excluded.some((one) => one.test(relative)) || except.includes(path.join(dataDir, relative))
  yield* below('data', dataDir, { isExcluded })
  yield* below('homes', await findHomes(dataDir), { isExcluded: () => false, onSkipped })
}

type Below = {
  isExcluded(relative: string): boolean
  /** Without it, a file that cannot be read is a failure. */
  onSkipped?(file: string): void
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')
const isGone = (error: unknown) => ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))

/**
 * On Linux, a path is resolved from the folder that is held open. Otherwise a user could replace a folder by a symlink
 * in the meantime and make the server, which may be root, read files that are not theirs.
 */
const placeIn = (folder: FileHandle, full: Buffer, name: Buffer): Buffer =>
  process.platform === 'linux'
    ? Buffer.concat([Buffer.from(`/proc/self/fd/${folder.fd}/`), name])
    : Buffer.concat([full, Buffer.from('/'), name])

async function* below(
  root: FileHead['root'],
  top: string,
  { isExcluded, onSkipped }: Below,
): AsyncGenerator<{ head: FileHead; bytes: AsyncGenerator<Buffer> }> {
  async function* inside(
    place: Buffer,
    full: Buffer,
    relative: string,
  ): AsyncGenerator<{ head: FileHead; bytes: AsyncGenerator<Buffer> }> {
    const folder = await open(place, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    try {
      const names = await readdir(placeIn(folder, full, Buffer.from('.')), { encoding: 'buffer' })
      for (const name of names.toSorted(Buffer.compare)) {
        const bytes = Buffer.concat([Buffer.from(relative, 'latin1'), Buffer.from(relative && '/'), name])
        const at = bytes.toString('latin1')
        if (isExcluded(bytes.toString())) continue
        const whole = Buffer.concat([full, Buffer.from('/'), name])
        try {
          yield* entry(placeIn(folder, full, name), whole, at)
        } catch (error) {
          // The file was removed or replaced after it was listed.
          if (isGone(error)) continue
          if (!onSkipped || codeOf(error) !== 'EACCES') throw error
          onSkipped(whole.toString())
        }
      }
    } finally {
      await folder.close()
    }
  }

  async function* entry(place: Buffer, full: Buffer, relative: string) {
    const found = await lstat(place)
    const head = { root, path: relative, mode: found.mode & PERMISSIONS, modifiedAt: found.mtimeMs }
    if (found.isSymbolicLink())
      yield {
        head: {
          kind: 'link' as const,
          target: (await readlink(place, 'buffer')).toString('latin1'),
          ...head,
        },
        bytes: nothing(),
      }
    else if (found.isDirectory()) {
      yield { head: { kind: 'folder' as const, ...head }, bytes: nothing() }
      yield* inside(place, full, relative)
    } else if (found.isFile()) {
      // O_NONBLOCK prevents waiting if the file has become a pipe.
      const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      try {
        const now = await file.stat()
        if (now.isFile()) yield { head: { kind: 'file' as const, ...head }, bytes: content(file, now.size) }
      } finally {
        await file.close()
      }
    }
    // Sockets, pipes and devices belong to running programs and are left out.
  }

  try {
    yield* inside(Buffer.from(top), Buffer.from(top), '')
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** Reads as much as the file had when it was opened, so that reading a file that keeps growing ends. */
async function* content(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size;) {
    const { bytesRead, buffer } = await file.read(
      Buffer.alloc(Math.min(READ_BYTES, size - at)),
      0,
      undefined,
      at,
    )
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

export const fileRecord = ({ head, bytes }: { head: FileHead; bytes: AsyncGenerator<Buffer> }) =>
  record(head, bytes)
