import { isUtf8 } from 'node:buffer'
import { PATH_OUTSIDE, TEXT_FILE_MAX_BYTES, type FileEntry } from '@flotilla/contract/jobs/files'
import { visibleName } from '@flotilla/contract/visible-name'
import { fail, Failure } from '../../fail'
import type { Caller } from '../../http/caller'
import { TransportError, type Reason } from '../../transports/error'
import type { ClusterAccess } from '../clusters/open'
import { readPage } from './page'

const kinds: Record<string, FileEntry['type']> = { file: 'file', folder: 'folder', link: 'link' }
/** The hidden file of an upload in progress, next to its destination. */
const partOf = (path: string): string => path.replace(/([^/]+)$/, '.$1.part')

/** Reasons for which the file system refused a request; all others are connection problems. */
const refusals = new Set<Reason>([
  ...(['outside', 'exists', 'not empty', 'not a file', 'not a folder', 'denied', 'bad name'] as const),
  ...(['wrong offset', 'read only', 'other file system', 'failed'] as const),
])

/** Turns an error of the file system into a failure that names the field. */
function asFailure(error: unknown, clusterAccess: ClusterAccess): unknown {
  if (!(error instanceof TransportError)) return error
  const { message, reason } = error
  if (reason === 'not found') return new Failure('not_found', { message })
  if (refusals.has(reason))
    return new Failure('file_refused', { message, fields: { path: message }, extras: { reason } })
  return clusterAccess.asFailure(error)
}

/** Names the requested file or folder instead of the hidden part file, which the user does not know. */
function aboutUpload(error: unknown, path: string): unknown {
  if (!(error instanceof TransportError)) return error
  const folder = path.split('/').slice(0, -1).join('/')
  const message =
    error.reason === 'not found'
      ? `The folder “${visibleName(folder)}” does not exist. Create it, or choose another folder.`
      : error.message.replace(visibleName(partOf(path)), visibleName(path))
  return new TransportError(error.step, error.reason, message, { cause: error })
}

type Area = ReturnType<Awaited<ReturnType<ClusterAccess['forPerson']>>['connection']['transport']['files']>

/** Fails unless the path is in the home or in a place of the cluster. With `changed`, it may not be a place itself. */
function requireInside(
  field: string,
  path: string,
  places: readonly string[],
  blocked: string | null,
  changed: boolean,
): void {
  if (!path.startsWith('/')) return
  const whole = `/${path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')}`
  const place = places.find((one) => whole === one || whole.startsWith(`${one}/`))
  if (place === undefined) fail('bad_input', { fields: { [field]: PATH_OUTSIDE } })
  if (blocked !== null) fail('file_refused', { message: blocked, fields: { [field]: blocked } })
  if (changed && whole === place)
    fail('file_refused', { message: `${place} itself cannot be changed here`, extras: { reason: 'denied' } })
}

export type Files = ReturnType<typeof makeFiles>
/**
 * A user's files on a cluster: the home, the cluster's places and the targets of links, all as the user's own account.
 */
export function makeFiles(clusterAccess: ClusterAccess) {
  const within = async <T>(
    me: Caller,
    cluster: string,
    /** Keyed by the input field they came from. */
    paths: Record<string, string | readonly string[]>,
    work: (area: Area, place: { home: string; blocked: string | null }) => Promise<T>,
    { adds = false, changes = adds }: { adds?: boolean; changes?: boolean } = {},
  ): Promise<T> => {
    const { connection, cluster: found } = await clusterAccess.forPerson(me, cluster)
    const { transport, home } = connection
    const blocked = transport.linksBlockedReason
    for (const [field, given] of Object.entries(paths))
      for (const one of [given].flat()) requireInside(field, one, found.places, blocked, changes)
    if (adds) connection.requireRoom?.()
    try {
      return await work(blocked === null ? transport.filesBeyond(home) : transport.files(home), {
        home,
        blocked,
      })
    } catch (error) {
      throw asFailure(error, clusterAccess)
    }
  }
  const adding = <T>(me: Caller, cluster: string, path: string, work: (area: Area) => Promise<T>) =>
    within(me, cluster, { path }, work, { adds: true })

  return {
    list: (me: Caller, cluster: string, path: string) =>
      within(me, cluster, { path }, async (area, { home, blocked }) => {
        const { entries, truncated } = await area.list(path)
        return {
          area: home,
          path,
          truncated,
          linksBlockedReason: blocked,
          entries: entries.map((entry) => ({
            name: entry.name,
            type: kinds[entry.kind] ?? 'other',
            size: entry.size,
            modifiedAt: Math.round(entry.modifiedAt),
            permissions: entry.mode.slice(1),
            target: entry.target ?? null,
          })),
        }
      }),
    readText: (me: Caller, cluster: string, path: string) =>
      within(me, cluster, { path }, async (area) => {
        const { size, modifiedAt, stream } = await area.read(path, { length: TEXT_FILE_MAX_BYTES })
        if (size > TEXT_FILE_MAX_BYTES) {
          stream.destroy()
          fail('file_refused', {
            message: 'The file is too long to edit here. View it in pages, or download it.',
            extras: { reason: 'too long' },
          })
        }
        const bytes = Buffer.concat(await stream.toArray())
        // An editor would corrupt a file that is not text.
        const binary = bytes.includes(0) || !isUtf8(bytes)
        return { text: bytes.toString('utf8'), size, modifiedAt: Math.round(modifiedAt), binary }
      }),
    readPage: (me: Caller, cluster: string, path: string, page: number) =>
      within(me, cluster, { path }, (area) => readPage(area, path, page)),
    setPermissions: (
      me: Caller,
      cluster: string,
      { paths, permissions, below }: { paths: string[]; permissions: number; below?: string | undefined },
    ) =>
      within(
        me,
        cluster,
        { paths },
        async (area) => {
          for (const path of paths)
            await area.permit(path, permissions, { ...(below !== undefined && { below }) })
        },
        { changes: true },
      ),
    writeText: (
      me: Caller,
      cluster: string,
      path: string,
      text: string,
      modifiedAt: number | null | undefined,
    ) =>
      adding(me, cluster, path, async (area) => {
        if (modifiedAt !== undefined && modifiedAt !== null) {
          const before = await area.stat(path)
          if (Math.round(before.modifiedAt) !== modifiedAt)
            fail('file_refused', {
              message: 'This file has changed since you opened it. Open it again before you save.',
              extras: { reason: 'changed' },
            })
        }
        await area.write(path, text, { how: modifiedAt === null ? 'create' : 'replace' })
        const after = await area.stat(path)
        return { modifiedAt: Math.round(after.modifiedAt), size: after.size }
      }),
    makeFolder: (me: Caller, cluster: string, path: string) =>
      adding(me, cluster, path, (area) => area.mkdir(path)),
    rename: (me: Caller, cluster: string, from: string, to: string) =>
      within(me, cluster, { from, to }, (area) => area.rename(from, to), { changes: true }),
    remove: (me: Caller, cluster: string, paths: string[]) =>
      within(
        me,
        cluster,
        { paths },
        async (area) => {
          for (const path of paths) await area.remove(path, { recursive: true })
        },
        { changes: true },
      ),
    download: (me: Caller, cluster: string, path: string) =>
      within(
        me,
        cluster,
        { path },
        async (area): Promise<{ name: string; content: AsyncIterable<Uint8Array> }> => {
          const name = path.split('/').at(-1) || 'files'
          const { kind } = path === '' ? { kind: 'folder' } : await area.stat(path)
          if (kind !== 'folder') return { name, content: (await area.read(path)).stream }
          return { name: `${name}.tar.gz`, content: await area.archive(path) }
        },
      ),
    uploaded: (me: Caller, cluster: string, path: string) =>
      within(me, cluster, { path }, async (area) => {
        const size = await area.stat(partOf(path)).then(
          (part) => part.size,
          (error: unknown) => {
            if (error instanceof TransportError && error.reason === 'not found') return 0
            throw error
          },
        )
        return { received: size }
      }),
    upload: (
      me: Caller,
      cluster: string,
      path: string,
      bytes: Uint8Array,
      query: { offset: number; final: string; replace: string },
    ) =>
      adding(me, cluster, path, async (area) => {
        const { size } = await area
          .write(partOf(path), bytes, { how: query.offset })
          .catch((error: unknown) => Promise.reject(aboutUpload(error, path)))
        if (query.final === 'true')
          await area.rename(partOf(path), path, { replace: query.replace === 'true' })
        return { received: size }
      }),
  }
}
