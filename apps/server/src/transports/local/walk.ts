import { closeSync, constants, open as openCall } from 'node:fs'
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Parts, Root } from '../disk'
import { coded, errorCode } from '../error'

/**
 * On Linux `/proc/self/fd/N/name` is "name in the folder that N holds open", whatever has been moved or linked since:
 * so every step of a path is taken from a folder that we hold, and no link is followed by the kernel. A link is read
 * and walked by us, below the root or not at all. No one can swap a folder for a link behind the check. The root may
 * be that of the machine: then links lead wherever this process may go.
 *
 * Elsewhere names are joined to the path that was checked, which leaves a moment between check and use.
 */
export const byDescriptor = process.platform === 'linux'

/** Not among Node's constants: opens a folder to go through it, which needs no right to read it. */
export const throughOnly = byDescriptor ? 0o10000000 : constants.O_RDONLY

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
const through = throughOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW

export interface Found {
  folder: Folder
  /** Undefined: the root itself. It may be missing, and is not a link unless links were not to be followed. */
  name?: string
  parts: string[]
}

const mostLinks = 40

/** The link's text, or undefined for what is not a link or does not exist. */
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

/** Opens the root one step at a time from its base, so that a link put anywhere below the base is never followed. */
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

/** What the root is called in links that begin with a slash. */
const nameOf = ({ fd, self }: Folder) => (byDescriptor ? readlink(`/proc/self/fd/${fd}`) : realpath(self))

/**
 * Goes to where the parts lead and gives it to `action`, with its folder held open until that is done.
 * `follow`: also when the last part is a link.
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
      const fd = await openThrough(folder.entry(name), through)
      held.push(folderOf(fd, rootPath, [...folder.parts, name]))
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
        // Above the top of the machine is the top again.
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
