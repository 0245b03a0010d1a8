import type { CourseFile } from '@flotilla/contract/courses/entity'

/** The target of a chapter's link; null for URLs that a course must not open, such as `javascript:`. */
export type LinkTarget = { kind: 'web'; href: string } | { kind: 'file'; file: CourseFile } | null

const SCHEMES = ['http:', 'https:', 'mailto:']

export function linkTarget(url: string, files: readonly CourseFile[]): LinkTarget {
  const file = fileAt(url, files)
  if (file) return { kind: 'file', file }
  // Relative URLs would lead into the console.
  if (!URL.canParse(url)) return null
  const { protocol, href } = new URL(url)
  return SCHEMES.includes(protocol) ? { kind: 'web', href } : null
}

/** The file of the course that a URL refers to: `files/plot.png`, with or without the folder. */
export function fileAt(url: string, files: readonly CourseFile[]): CourseFile | null {
  const name = decoded(url)
    .replace(/^(\.\/)?(files\/)?/, '')
    .normalize('NFC')
  return files.find((file) => file.name.normalize('NFC') === name) ?? null
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}
