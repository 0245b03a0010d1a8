import { closeSync, constants, open as openCall } from 'node:fs'
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Parts, Root } from '../disk'
import { coded, errorCode } from '../error'

/**
 * On Linux, `/proc/self/fd/N/name` is the entry in the folder that N has open, whatever has been moved or linked since.
 * So every step of a path starts from an open folder, and the kernel follows no links. Links are read and resolved
 * here, and rejected if they leave the root, so no folder can be swapped for a link between check and use. The root may
 * be that of the machine; then links may lead wherever this process has access.
 *
 * Elsewhere names are joined to the checked path, which leaves a race between check and use.
 */
export const byDescriptor = process.platform === 'linux'

/** O_PATH, which Node lacks: opens a folder for traversal, which needs no read permission. */
export const throughOnly = byDescriptor ? 0o10000000 : constants.O_RDONLY

export interface Folder {
  fd: number
  /** Its parts below the root. */
  parts: string[]
  /** The path with which calls access an entry of it. */
  entry(name: string): string
  /** The path with which calls access the folder itself. */
  self: string
}

function folderOf(fd: number, root: string, parts: string[]): Folder {
  const self = byDescriptor ? `/proc/self/fd/${fd}` : path.join(root, ...parts)
  return { fd, parts, self, entry: (name) => `${self}/${name}` }
}

export const openFolder = (place: string, flags: number = throughOnly): Promise<FileHandle> =>
  open(place, flags | constants.O_DIRECTORY | constants.O_NOFOLLOW)

/**
 * Returns a descriptor instead of a handle, so that folders that are only traversed can be closed synchronously:
 * awaiting a call costs more than the call itself.
 */
const openThrough = promisify(openCall) as (place: string, flags: number) => Promise<number>
const through = throughOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW

export interface Found {
  folder: Folder
  /** Undefined for the root itself. The entry may be missing, and is a link only if links were not to be followed. */
  name?: string
  parts: string[]
}

const mostLinks = 40

/** The link's text, or undefined if it is not a link or does not exist. */
const linkAt = async (place: string): Promise<string | undefined> => {
  try {
    return await readlink(place)
  } catch (error) {
    if (errorCode(error) === 'EINVAL' || errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

const below = (root: string, target: string): string[] | undefined => {
  const relative = path.relative(root, target)
  if (relative === '') return []
  return relative.startsWith('..') || path.isAbsolute(relative) ? undefined : relative.split('/')
}

/** Opens the root one step at a time from its base, so that no link below the base is followed. */
async function openRoot({ base, folder }: Root): Promise<Folder> {
  const step = (place: string) =>
    openThrough(place, through).catch(async (error: unknown) => {
      const isLink = (await linkAt(place).catch(() => undefined)) !== undefined
      throw isLink ? coded('ELINKED') : error
    })
  let fd = await step(base)
  for (const [depth, name] of folder.entries()) {
    const above = folderOf(fd, path.join(base, ...folder.slice(0, depth)), [])
    try {
      fd = await step(above.entry(name))
    } finally {
      closeSync(above.fd)
    }
  }
  return folderOf(fd, path.join(base, ...folder), [])
}

/** The real path of the root, with which absolute links are compared. */
const nameOf = ({ fd, self }: Folder) => (byDescriptor ? readlink(`/proc/self/fd/${fd}`) : realpath(self))

/**
 * Resolves the parts and passes the entry to `action`, with its folder kept open until that is done. `follow`: whether
 * a link as the last part is followed.
 */
export async function walk<T>(
  root: Root,
  parts: Parts,
  { follow }: { follow: boolean },
  action: (found: Found) => Promise<T>,
): Promise<T> {
  const rootPath = path.join(root.base, ...root.folder)
  const opened = await openRoot(root)
  const held: Folder[] = [opened]
  const top = () => {
    const folder = held.at(-1)
    // The root stays open to the end.
    if (!folder) throw coded('EOUTSIDE')
    return folder
  }
  const leave = () => {
    const folder = held.pop()
    if (folder) closeSync(folder.fd)
  }
  const enter = async (folder: Folder, name: string): Promise<boolean> => {
    try {
      const fd = await openThrough(folder.entry(name), through)
      held.push(folderOf(fd, rootPath, [...folder.parts, name]))
      return true
    } catch (error) {
      // It may be a link.
      if (errorCode(error) === 'ENOTDIR' || errorCode(error) === 'ELOOP') return false
      throw error
    }
  }
  try {
    const todo = [...parts]
    for (let links = 0; ;) {
      const name = todo.shift()
      if (name === undefined) {
        // The path ended in an open folder: the root, or the target of a link to '.' or '..'.
        const here = top()
        if (here.parts.length === 0) return await action({ folder: here, parts: [] })
        leave()
        const last = here.parts.at(-1)
        return await action({ folder: top(), name: last, parts: here.parts })
      }
      if (name === '' || name === '.') continue
      if (name === '..') {
        // The parent of the machine's root is the root itself.
        if (held.length > 1) leave()
        else if (rootPath !== '/') throw coded('EOUTSIDE')
        continue
      }
      const folder = top()
      const isLast = todo.length === 0
      if (!isLast && (await enter(folder, name))) continue
      const link = isLast && !follow ? undefined : await linkAt(folder.entry(name))
      if (link !== undefined) {
        if (++links > mostLinks) throw coded('EMANYLINKS')
        if (link.startsWith('/')) {
          const inside = below(await nameOf(opened), link) ?? below(rootPath, link)
          if (!inside) throw coded('EOUTSIDE')
          while (held.length > 1) leave()
          todo.unshift(...inside)
        } else todo.unshift(...link.split('/'))
        continue
      }
      if (!isLast) throw coded('ENOTDIR')
      return await action({ folder, name, parts: [...folder.parts, name] })
    }
  } finally {
    while (held.length > 0) leave()
  }
}
