import type { FileEntry } from '@flotilla/contract/jobs/files'
import { bitsOf } from './permissions'
import { joined } from '../places'

type Entry = Pick<FileEntry, 'name' | 'type' | 'permissions'>
interface Work {
  list: (folder: string) => Promise<{ entries: readonly Entry[]; truncated: boolean }>
  /** Changes all paths, or throws. */
  permit: (paths: string[], permissions: number) => Promise<unknown>
  describe: (error: unknown) => string
  onProgress: (changed: number) => void
  signal: AbortSignal
  /** The maximum number of entries to change. */
  most: number
}
interface Outcome {
  changed: number
  failures: { path: string; reason: string }[]
  /** Whether there were more entries than `most`, so that some were not changed. */
  limited: boolean
}

const PER_CALL = 200
const EXECUTE = 0o111
/** The permissions that the owner needs to list a folder and change its contents. */
const ENTER = 0o500
export const TOO_LONG = 'This folder is too large to list in full: the rest of it was not changed'

/** Changes files, folders and the contents of these folders, except links. Failures do not stop the others. */
export async function changePermissionsRecursively(
  folder: string,
  entries: readonly Entry[],
  permissions: number,
  work: Work,
): Promise<Outcome> {
  const outcome: Outcome = { changed: 0, failures: [], limited: false }
  const isOver = () => work.signal.aborted || outcome.limited
  const change = async (paths: string[], bits: number): Promise<void> => {
    if (isOver() || paths.length === 0) return
    const room = work.most - outcome.changed
    if (paths.length > room) outcome.limited = true
    const allowed = paths.slice(0, room)
    try {
      await work.permit(allowed, bits)
      outcome.changed += allowed.length
    } catch (error) {
      // The call fails if any path is refused. One call per path finds out which, and changes the others.
      if (allowed.length === 1)
        outcome.failures.push({ path: allowed[0] ?? '', reason: work.describe(error) })
      else for (const one of allowed) await change([one], bits)
    }
    work.onProgress(outcome.changed)
  }
  const walk = async (inside: string, found: readonly Entry[]): Promise<void> => {
    const paths = (of: Entry[]) => of.map(({ name }) => joined(inside, name))
    const files = found.filter(({ type }) => type === 'file')
    const runs = (one: Entry) => (bitsOf(one.permissions) & EXECUTE) !== 0
    const isTop = found === entries
    const plain = isTop ? [] : files.filter((one) => !runs(one))
    for (const [batch, bits] of [
      [files.filter((one) => !plain.includes(one)), permissions],
      [plain, permissions & ~EXECUTE],
    ] as const)
      for (let at = 0; at < batch.length; at += PER_CALL)
        await change(paths(batch.slice(at, at + PER_CALL)), bits)
    for (const path of paths(found.filter(({ type }) => type === 'folder'))) {
      if (isOver()) return
      // If the owner can enter a folder with the new permissions, it is changed before its contents, otherwise after.
      const first = (permissions & ENTER) === ENTER
      if (first) await change([path], permissions)
      try {
        const { entries: next, truncated } = await work.list(path)
        await walk(path, next)
        if (truncated) outcome.failures.push({ path, reason: TOO_LONG })
      } catch (error) {
        outcome.failures.push({ path, reason: work.describe(error) })
      }
      if (!first) await change([path], permissions)
    }
  }
  await walk(folder, entries)
  return outcome
}
