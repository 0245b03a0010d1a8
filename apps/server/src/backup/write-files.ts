import { chmod, lchown, mkdir, open, symlink, utimes } from 'node:fs/promises'
import path from 'node:path'
import { BackupError } from './error'
import type { FileHead } from './records'

const isRoot = process.getuid?.() === 0

/** Checks that records form a tree: each file comes after the folder that it is in, and nothing is outside its root. */
export function treeCheck(): (head: FileHead) => void {
  const folders = new Set<string>()
  return ({ kind, root, path: relative }) => {
    const parts = relative.split('/')
    const above = path.posix.dirname(relative)
    const isSafe = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\0'))
    if (!isSafe || (above !== '.' && !folders.has(`${root}/${above}`)))
      throw new BackupError('This backup is damaged: it has a file outside of its folder.')
    if (kind === 'folder') folders.add(`${root}/${relative}`)
  }
}

export type Places = { data: string; homes: string; previousHomes: string }

/** As root, everything in a home belongs to its user, whose uid ends the home's name; all else is the server's own. */
const ownerOf = ({ root, path: relative }: FileHead): number | undefined => {
  const uid = root === 'homes' && isRoot ? /^[^/]*-(\d+)(\/|$)/.exec(relative)?.[1] : undefined
  return uid === undefined ? undefined : Number(uid)
}

/** Writes the files of a backup to empty folders. */
export function fileWriter(places: Places) {
  const folders: { place: Buffer; mode: number; at: number }[] = []
  const placeOf = ({ root, path: relative }: FileHead) =>
    Buffer.concat([Buffer.from(`${places[root]}/`), Buffer.from(relative, 'latin1')])

  return {
    async write(head: FileHead, body: AsyncIterable<Buffer>): Promise<void> {
      const place = placeOf(head)
      const modifiedAt = head.modifiedAt / 1000
      if (head.kind === 'folder') {
        // Until its files are written, the folder must be writable, whatever its permissions are.
        await mkdir(place, { mode: 0o700 })
        folders.push({ place, mode: head.mode, at: modifiedAt })
      } else if (head.kind === 'link') await symlink(Buffer.from(head.target, 'latin1'), place)
      else {
        const file = await open(place, 'wx', 0o600)
        try {
          for await (const bytes of isJournal(head) ? movedPaths(body, places) : body)
            await file.writeFile(bytes)
          await file.chmod(head.mode)
          await file.utimes(modifiedAt, modifiedAt)
        } finally {
          await file.close()
        }
      }
      const owner = ownerOf(head)
      if (owner !== undefined) await lchown(place, owner, owner)
    },
    /** Sets the permissions of folders, which may forbid writing, and their times, which writing changes. */
    async finish(): Promise<void> {
      for (const { place, mode, at } of folders.toReversed()) {
        await chmod(place, mode)
        await utimes(place, at, at)
      }
    },
  }
}

const isJournal = ({ root, path: relative }: FileHead) =>
  root === 'data' && /^clusters\/[^/]+\/spool\/journal$/.test(relative)

/**
 * Replaces the place of the homes in the executor's journal, which has a line for each job that waits on this machine.
 */
async function* movedPaths(
  body: AsyncIterable<Buffer>,
  { previousHomes, homes }: Places,
): AsyncGenerator<Buffer> {
  // Latin-1 has one character per byte, so that bytes that are not text stay unchanged.
  const inJson = (folder: string) => Buffer.from(JSON.stringify(`${folder}/`).slice(0, -1)).toString('latin1')
  const moved = (bytes: Buffer) =>
    Buffer.from(bytes.toString('latin1').replaceAll(inJson(previousHomes), inJson(homes)), 'latin1')
  let rest: Buffer[] = []
  for await (const bytes of body) {
    const end = bytes.lastIndexOf('\n') + 1
    if (end > 0) {
      yield moved(Buffer.concat([...rest, bytes.subarray(0, end)]))
      rest = []
    }
    rest.push(bytes.subarray(end))
  }
  yield moved(Buffer.concat(rest))
}
