import { TransportError, type Step } from './error'
import type { Found, Slice } from './search/scan'

type Kind = 'file' | 'folder' | 'link' | 'other'

export interface Entry {
  name: string
  kind: Kind
  /** The target of a link. If links may not leave the root, targets outside are never accessed. */
  target?: 'file' | 'folder' | 'other' | 'outside' | 'missing' | 'denied'
  size: number
  modifiedAt: number
  /** The mode in the format of `ls -l`: '-rw-r--r--'. */
  mode: string
  /** The permission bits: 0o644. */
  permissions: number
  uid: number
  gid: number
}

export interface Listing {
  entries: Entry[]
  /** The folder has more entries than requested. */
  truncated: boolean
}

/** An open regular file. Reads at the end return an empty buffer. */
export interface OpenFile {
  /** `id` changes when another file takes the name; without an id (SFTP) that cannot be detected. */
  look(): Promise<{ size: number; modifiedAt: number; id?: string }>
  read(offset: number, length: number): Promise<Buffer>
  /** Searches on the machine that has the file, if possible. */
  search(slice: Slice): Promise<Found>
  write(offset: number, data: Buffer): Promise<void>
  truncate(size: number): Promise<void>
  permit(permissions: number): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

export type OpenFor =
  | { for: 'read' }
  /** `mode`: the permission bits of a file that is created. */
  | { for: 'create' | 'update'; mode?: number }

/** A path below the root, split at its slashes, without '.' and '..'. It is empty for the root itself. */
export type Parts = readonly string[]

/**
 * The folder that file calls are confined to: `folder` below `base`. The account cannot replace the base, such as its
 * home. Below the base it can create links anywhere, so no link is followed on the path to the folder.
 */
export interface Root {
  base: string
  folder: Parts
}

/**
 * File calls that never leave a root. They fail with errors that carry a code: the system's (ENOENT) or one of ours
 * (EOUTSIDE). Implemented for this machine (local/disk.ts) and for SFTP (sftp/disk.ts).
 */
export interface Disk {
  list(parts: Parts, limit: number): Promise<Listing>
  /** Follows links; an entry of kind 'link' could not be followed. */
  stat(parts: Parts): Promise<Entry>
  open(parts: Parts, how: OpenFor): Promise<OpenFile>
  mkdir(parts: Parts): Promise<void>
  /** Sets the permissions of a link's target, not of the link. */
  permit(parts: Parts, permissions: number): Promise<void>
  /** Removes a link itself, not its target. */
  remove(parts: Parts, options: { recursive: boolean }): Promise<void>
  rename(from: Parts, to: Parts, options: { replace: boolean }): Promise<void>
  /** The parts with all links resolved, including the last one, which need not exist. */
  resolve(parts: Parts): Promise<string[]>
}

/** The root of the machine, for file calls that may access everything that the account may. */
export const wholeMachine: Root = { base: '/', folder: [] }

/** The first of parts that are relative to the root of the machine. No path contains it, as slashes separate parts. */
const FROM_TOP = ''

/**
 * Files below a folder, with links followed wherever they lead. `disk` is the whole machine's; it acts with the rights
 * of the account, which alone decide what can be accessed.
 */
export function followingLinks<D extends Disk>(disk: D, folder: Parts): D {
  const whole = (parts: Parts): Parts => (parts[0] === FROM_TOP ? parts.slice(1) : [...folder, ...parts])
  return {
    ...disk,
    list: (parts, limit) => disk.list(whole(parts), limit),
    stat: (parts) => disk.stat(whole(parts)),
    open: (parts, how) => disk.open(whole(parts), how),
    mkdir: (parts) => disk.mkdir(whole(parts)),
    permit: (parts, permissions) => disk.permit(whole(parts), permissions),
    remove: (parts, options) => disk.remove(whole(parts), options),
    rename: (from, to, options) => disk.rename(whole(from), whole(to), options),
    resolve: async (parts) => [FROM_TOP, ...(await disk.resolve(whole(parts)))],
  }
}
/** Splits a path for such a disk; a path that begins with a slash is relative to the root of the machine. */
export const splitAnywhere = (path: string, step: Step): string[] =>
  path.startsWith('/') ? [FROM_TOP, ...split(path, step)] : split(path, step)
/** The resolved parts of such a disk, relative to the root of the machine. */
export const fromTop = (parts: Parts): Parts => (parts[0] === FROM_TOP ? parts.slice(1) : parts)

/** Splits a path into parts. Leading slashes are ignored. */
export function split(path: string, step: Step): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..'))
    throw new TransportError(
      step,
      'outside',
      `"${path}" is outside this folder. Paths must not contain "..".`,
    )
  if (path.includes('\0'))
    throw new TransportError(step, 'bad name', 'A file name cannot contain a NUL byte.')
  return parts
}

const kindBits = 0o170000
const kinds: Record<number, [Kind, string]> = {
  0o100000: ['file', '-'],
  0o040000: ['folder', 'd'],
  0o120000: ['link', 'l'],
  0o060000: ['other', 'b'],
  0o020000: ['other', 'c'],
  0o010000: ['other', 'p'],
  0o140000: ['other', 's'],
}

/** The target shown for a link that could not be followed because of this error. */
export function unfollowed(code: string | undefined): 'outside' | 'missing' | 'denied' {
  if (code === 'EOUTSIDE') return 'outside'
  return code === 'EACCES' || code === 'EPERM' ? 'denied' : 'missing'
}

export const kindOf = (mode: number): Kind => kinds[mode & kindBits]?.[0] ?? 'other'

/** Formats a mode as `ls -l` does, with s and t where they are set: 0o100644 -> '-rw-r--r--'. */
export function modeString(mode: number): string {
  const letter = (bit: number, shown: string) => (mode & bit ? shown : '-')
  const execute = (bit: number, special: number, shown: string) =>
    mode & special ? (mode & bit ? shown : shown.toUpperCase()) : letter(bit, 'x')
  const triple = (shift: number, special: number, shown: string) =>
    letter(0o4 << shift, 'r') + letter(0o2 << shift, 'w') + execute(0o1 << shift, special, shown)
  return (
    (kinds[mode & kindBits]?.[1] ?? '?') +
    triple(6, 0o4000, 's') +
    triple(3, 0o2000, 's') +
    triple(0, 0o1000, 't')
  )
}
