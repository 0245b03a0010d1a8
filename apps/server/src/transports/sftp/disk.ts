import path from 'node:path'
import { kindOf, modeString, unfollowed, type Disk, type Entry, type OpenFile, type Parts } from '../disk'
import { coded, errorCode } from '../error'
import type { Sftp } from './sftp'
import { listFolder } from './list'
import { openFlag, type Attributes } from './packets'
import { scan, type Found, type Read, type Slice } from '../search/scan'

/** Limits for a server that answers each call but never comes to an end. */
interface Timeouts {
  listMs: number
  removeMs: number
}
const defaultTimeouts: Timeouts = { listMs: 20_000, removeMs: 10 * 60_000 }
/** Searches a file on the remote host; undefined if that is not possible. */
export type RemoteSearch = (path: string, read: Read, slice: Slice) => Promise<Found | undefined>

const deepest = 512
/** Few, because the names of every folder on the path are kept in memory meanwhile. */
const removedAtOnce = 1000

/**
 * Files over SFTP below `base`. In every call the remote host resolves the path, which is rejected if it leads out of
 * the base. If the base itself or a folder above it has become a link, it resolves to a different path, so every path
 * is rejected.
 *
 * SFTP can neither open a file without following links nor use an open folder as a starting point. Anyone with write
 * access to the folder can swap a part of the path for a link between check and use, and reach a file outside the base.
 * That grants no additional access: the session runs with only the rights of the account that created the content of
 * the folder (the user by sudo, or the cluster's own login for jobs run as admin, which only admins may read). So a
 * base must not be the only isolation between users of the same account.
 */
export function sftpDisk(
  sftp: Sftp,
  base: string,
  timeouts: Timeouts = defaultTimeouts,
  remoteSearch?: RemoteSearch,
): Disk {
  const inside = (real: string): string[] => {
    const relative = path.posix.relative(base, real)
    if (relative === '') return []
    if (relative === '..' || relative.startsWith('../')) throw coded('EOUTSIDE')
    return relative.split('/')
  }
  const full = (parts: Parts) => path.posix.join(base, ...parts)
  const resolve = async (parts: Parts) => inside(await sftp.realpath(full(parts)))
  /** The resolved path of the parts, without following the last one. */
  const place = async (parts: Parts) => full([...(await resolve(parts.slice(0, -1))), ...parts.slice(-1)])
  const exists = (at: string) =>
    sftp.lstat(at).then(
      () => true,
      () => false,
    )

  const entry = async (name: string, parts: Parts, found: Attributes): Promise<Entry> => ({
    name,
    kind: kindOf(found.mode),
    ...(kindOf(found.mode) === 'link' && { target: await target(parts) }),
    size: found.size,
    modifiedAt: found.modifiedAt,
    mode: modeString(found.mode),
    permissions: found.mode & 0o7777,
    uid: found.uid,
    gid: found.gid,
  })
  const target = (parts: Parts): Promise<Entry['target']> =>
    resolve(parts)
      .then((real) => sftp.lstat(full(real)))
      .then(
        (found) => (kindOf(found.mode) === 'link' ? 'missing' : kindOf(found.mode)),
        (error: unknown) => unfollowed(errorCode(error)),
      ) as Promise<Entry['target']> // 'link' has just been taken out

  /** SFTP reports a full disk only as a general failure. */
  const explainFull = async (at: string, error: unknown): Promise<never> => {
    const free = errorCode(error) === 'EFAILED' ? await sftp.freeBytes(at).catch(() => undefined) : undefined
    throw free !== undefined && free < 64 * 1024 ? coded('ENOSPC') : error
  }

  const openFile = (handle: Buffer, at: string, folder: string): OpenFile => ({
    search: async (slice) => {
      const read: Read = (offset, length) => sftp.read(handle, offset, length)
      // Some accounts may read files but not run commands.
      return (await remoteSearch?.(at, read, slice).catch(() => undefined)) ?? scan(read, slice)
    },
    look: async () => {
      const { size, modifiedAt } = await sftp.fstat(handle)
      return { size, modifiedAt }
    },
    read: (offset, length) => sftp.read(handle, offset, length),
    write: (offset, data) =>
      sftp.write(handle, offset, data).catch((error: unknown) => explainFull(folder, error)),
    truncate: (size) => sftp.set(handle, { size }),
    permit: (permissions) => sftp.set(handle, { mode: permissions }),
    sync: () => sftp.sync(handle).catch((error: unknown) => explainFull(folder, error)),
    close: () => (sftp.usable ? sftp.closeHandle(handle) : Promise.resolve()),
  })

  const removeAll = async (at: string, until: number, depth = 0): Promise<void> => {
    if (Date.now() > until) throw coded('EFAILED', 'it took too long; some of it is not deleted yet')
    if (depth > deepest) throw coded('EFAILED', 'folders are nested too deeply')
    const found = await sftp.lstat(at)
    if (kindOf(found.mode) !== 'folder') return sftp.remove(at)
    // Names beyond the limit are read when the previous ones are removed.
    for (let more = true; more;) {
      const { names, cut } = await listFolder(sftp, at, timeouts.listMs, removedAtOnce)
      for (const one of names) await removeAll(`${at}/${one.name}`, until, depth + 1)
      more = cut && names.length > 0
    }
    await sftp.rmdir(at)
  }

  return {
    resolve,
    list: async (parts, limit) => {
      const real = await resolve(parts)
      const found = await sftp.lstat(full(real))
      if (kindOf(found.mode) !== 'folder') throw coded('ENOTDIR')
      const { names, cut } = await listFolder(sftp, full(real), timeouts.listMs)
      const entries = await Promise.all(
        names
          .toSorted((a, b) => (a.name < b.name ? -1 : 1))
          .slice(0, limit)
          .map((one) => entry(one.name, [...real, one.name], one)),
      )
      return { entries, truncated: cut || names.length > limit }
    },
    stat: async (parts) => {
      const real = await resolve(parts)
      return entry(parts.at(-1) ?? '', real, await sftp.lstat(full(real)))
    },
    open: async (parts, how) => {
      const real = await resolve(parts)
      const at = full(real)
      const found = await sftp.lstat(at).catch((error: unknown) => {
        if (how.for === 'read' || errorCode(error) !== 'ENOENT') throw error
      })
      // Opening a named pipe would block the SFTP server forever.
      if (found && kindOf(found.mode) !== 'file')
        throw coded(kindOf(found.mode) === 'folder' ? 'EISDIR' : 'ENOTFILE')
      if (found && how.for === 'create') throw coded('EEXIST')
      const mode = how.for === 'read' ? undefined : how.mode
      const folder = path.posix.dirname(at)
      const handle = await sftp
        .open(at, flags[how.for], mode)
        .catch((error: unknown) => explainFull(folder, error))
      return openFile(handle, at, folder)
    },
    mkdir: async (parts) => {
      const at = await place(parts)
      await sftp.mkdir(at).catch(async (error: unknown) => {
        throw (await exists(at)) ? coded('EEXIST') : error
      })
    },
    permit: async (parts, permissions) => sftp.permit(full(await resolve(parts)), permissions),
    remove: async (parts, { recursive }) => {
      const at = await place(parts)
      if (recursive) return removeAll(at, Date.now() + timeouts.removeMs)
      if (kindOf((await sftp.lstat(at)).mode) !== 'folder') return sftp.remove(at)
      await sftp.rmdir(at).catch(async (error: unknown) => {
        throw (await listFolder(sftp, at, timeouts.listMs)).names.length > 0 ? coded('ENOTEMPTY') : error
      })
    },
    rename: async (from, to, { replace }) => {
      const [old, fresh] = [await place(from), await place(to)]
      if (replace) return sftp.replace(old, fresh)
      await sftp.rename(old, fresh).catch(async (error: unknown) => {
        throw (await exists(fresh)) ? coded('EEXIST') : error
      })
    },
  }
}

const flags = {
  read: openFlag.read,
  create: openFlag.write | openFlag.create | openFlag.exclusive,
  update: openFlag.write | openFlag.create,
}
