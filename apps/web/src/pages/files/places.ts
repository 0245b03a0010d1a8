import type { FileEntry } from '@flotilla/contract/jobs/files'

/* A path is relative to the user's home, with names joined by slashes; the home itself is the empty string. A path that
   begins with a slash is in one of the cluster's places. */

export const joined = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)
export const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/')
export const nameOf = (path: string): string => path.split('/').at(-1) ?? ''

/** The folder and all its parents, from the top. */
export const foldersOn = (path: string): string[] =>
  path
    .split('/')
    .map((_, at, all) => all.slice(0, at + 1).join('/'))
    .filter(Boolean)

/** The place that contains a path; empty for the home. */
export const placeOf = (path: string, places: readonly string[]): string =>
  places
    .filter((place) => path === place || path.startsWith(`${place}/`))
    .toSorted((a, b) => b.length - a.length)[0] ?? ''

/** The folders on a path that can be opened, with their paths. Folders above a place cannot. */
export function stepsOf(path: string, places: readonly string[]): { name: string; path: string }[] {
  const place = placeOf(path, places)
  return foldersOn(path)
    .filter((folder) => folder.length >= place.length)
    .map((folder) => ({ name: folder === place ? place : nameOf(folder), path: folder }))
}

/** Why a file or folder name is invalid, or null. */
export function nameProblem(name: string, taken: readonly string[]): string | null {
  if (name.trim() === '') return 'Enter a name'
  if (name.includes('/')) return 'A name cannot contain a slash'
  if (name === '.' || name === '..') return 'This name is reserved'
  return taken.includes(name) ? 'This name is already taken' : null
}

/** The type of view that a click on an entry opens; null if none. */
export function opens(entry: Pick<FileEntry, 'type' | 'target'>): 'folder' | 'file' | null {
  if (entry.type === 'folder' || entry.type === 'file') return entry.type
  if (entry.type !== 'link') return null
  return entry.target === 'folder' || entry.target === 'file' ? entry.target : null
}

/** Describes the target of a link. */
export function linkText(target: FileEntry['target']): string {
  if (target === null || target === 'outside') return 'points outside your home, not followed'
  if (target === 'denied') return 'points to something your account cannot open'
  if (target === 'missing') return 'broken link'
  return target === 'other' ? 'link to a device' : `link to a ${target}`
}

/** Sorts folders first, then by name in natural order: run2 before run10. */
export function inOrder(entries: readonly FileEntry[]): FileEntry[] {
  const names = new Intl.Collator(undefined, { numeric: true })
  return entries.toSorted(
    (a, b) => Number(opens(b) === 'folder') - Number(opens(a) === 'folder') || names.compare(a.name, b.name),
  )
}
