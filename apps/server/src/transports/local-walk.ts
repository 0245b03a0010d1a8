import { closeSync, constants, open as openCall } from 'node:fs'
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Parts } from './disk'
import { coded, errorCode } from './error'

/**
 * On Linux `/proc/self/fd/N/name` is "name in the folder that N holds open", whatever has been moved or linked since:
 * so every step of a path is taken from a folder that we hold, and no link is followed by the kernel. A link is read
 * and walked by us, below the root or not at all. Nobody can swap a folder for a link behind the check.
 *
 * Elsewhere names are joined to the path that was checked, which leaves a moment between check and use.
 */
export const byDescriptor = process.platform === 'linux'

/** Not among Node's constants: opens a folder to go through it, which needs no right to read it. */
const throughOnly = byDescriptor ? 0o10000000 : constants.O_RDONLY

export interface Folder {
  fd: number
  /** Its parts below the root. */
  parts: string[]
  /** How calls reach an entry of it. */
  entry(name: string): string
  /** How calls reach the folder itself. */
  self: string
}

function folderOf(fd: number, root: string, parts: string[]): Folder {
  const self = byDescriptor ? `/proc/self/fd/${fd}` : path.join(root, ...parts)
  return { fd, parts, self, entry: (name) => `${self}/${name}` }
}

export const openFolder = (place: string, flags: number = throughOnly): Promise<FileHandle> =>
  open(place, flags | constants.O_DIRECTORY | constants.O_NOFOLLOW)

/**
 * A bare number and no handle: a folder that is only gone through is closed without waiting for anything, and each
 * call that is waited for costs more than what it does.
 */
const openThrough = promisify(openCall) as (place: string, flags: number) => Promise<number>
const through = throughOnly | constants.O_DIRECTORY

export interface Found {
  folder: Folder
  /** Undefined: the root itself. It may be missing, and is no link unless links were not to be followed. */
  name?: string
  parts: string[]
}

const mostLinks = 40

/** The link's text, or undefined for what is no link or does not exist. */
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

/**
 * Goes to where the parts lead and gives it to `action`, with its folder held open until that is done.
 * `follow`: also when the last part is a link.
 */
export async function walk<T>(
  rootPath: string,
  parts: Parts,
  { follow }: { follow: boolean },
  action: (found: Found) => Promise<T>,
): Promise<T> {
  // Where links lead that begin with a slash can be told only with the root's real name; there are few of them.
  let realRoot = byDescriptor ? undefined : await realpath(rootPath)
  const held: Folder[] = [folderOf(await openThrough(rootPath, through), realRoot ?? rootPath, [])]
  const top = () => {
    const folder = held.at(-1)
    // The root stays held to the end.
    if (!folder) throw coded('EOUTSIDE')
    return folder
  }
  const leave = () => {
    const folder = held.pop()
    if (folder) closeSync(folder.fd)
  }
  const enter = async (folder: Folder, name: string): Promise<boolean> => {
    try {
      const fd = await openThrough(folder.entry(name), through | constants.O_NOFOLLOW)
      held.push(folderOf(fd, realRoot ?? rootPath, [...folder.parts, name]))
      return true
    } catch (error) {
      // A link, perhaps.
      if (errorCode(error) === 'ENOTDIR' || errorCode(error) === 'ELOOP') return false
      throw error
    }
  }
  try {
    const todo = [...parts]
    for (let links = 0; ;) {
      const name = todo.shift()
      if (name === undefined) {
        // The way ended in a folder that is held: by its root, or by a link to '.' or '..'.
        const here = top()
        if (here.parts.length === 0) return await action({ folder: here, parts: [] })
        leave()
        const last = here.parts.at(-1)
        return await action({ folder: top(), name: last, parts: here.parts })
      }
      if (name === '' || name === '.') continue
      if (name === '..') {
        if (held.length === 1) throw coded('EOUTSIDE')
        leave()
        continue
      }
      const folder = top()
      const isLast = todo.length === 0
      if (!isLast && (await enter(folder, name))) continue
      const link = isLast && !follow ? undefined : await linkAt(folder.entry(name))
      if (link !== undefined) {
        if (++links > mostLinks) throw coded('EOUTSIDE')
        if (link.startsWith('/')) {
          realRoot ??= await realpath(rootPath)
          const inside = below(realRoot, link) ?? below(rootPath, link)
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
