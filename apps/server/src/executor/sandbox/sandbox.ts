import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { UPLINK_NAME_SERVER, type NetworkKind } from './network'

/**
 * What users' jobs, terminals and file helpers see of this machine: their home, a small /dev with its own terminals,
 * and a private /tmp, /var/tmp and /run. It is described by a table of mounts, which one program mounts at once
 * (sandbox-script.ts): one program per mount would take longer than the rest of a job's start.
 */

interface Owner {
  uid: number
  gid: number
  home: string
}

export interface View {
  owner: Owner
  /** The folder with its /dev, /run, /tmp and /var/tmp, which no other user can access. */
  place: string
  /** Folders and files that are hidden from it. */
  hide: readonly string[]
  /** Folders that are read-only in it. */
  readOnly: readonly string[]
  /** The size of /dev/shm. */
  sharedMemoryMb: number
  network: NetworkKind
  /** The commands that set up its own network; see network.ts. */
  networkCommands: string
}

/** The descriptors with which the script keeps the place and the home open while other mounts cover them. */
export const PLACE_FD = 4
export const HOME_FD = 5
/** The file of a place that lists its mounts, in the format of /etc/fstab. */
export const TABLE = 'mounts'
/** The file of a place that sets up its network. */
export const NETWORK = 'network'

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
/** The devices of GPUs and fast networks. */
const accelerators = /^(nvidia.*|dri|kfd|infiniband)$/
const links: readonly [name: string, target: string][] = [
  ['ptmx', 'pts/ptmx'],
  ['fd', '/proc/self/fd'],
  ['stdin', '/proc/self/fd/0'],
  ['stdout', '/proc/self/fd/1'],
  ['stderr', '/proc/self/fd/2'],
]
const RESOLV_CONF = '/etc/resolv.conf'
/** Folders covered by the sandbox's own, so that nothing in them needs to be hidden. */
const own = ['/dev', '/run', '/tmp', '/var/tmp']

const isBelow = (file: string, folder: string) => file === folder || file.startsWith(`${folder}/`)
const isFolder = (file: string) => statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false
const realPath = (file: string) => (existsSync(file) ? realpathSync(file) : file)

const passedThrough = () => [...devices, ...readdirSync('/dev').filter((name) => accelerators.test(name))]

/** Creates the contents of a place that are missing. */
export function preparePlace(view: View): void {
  const { owner, place } = view
  const folder = (name: string, mode: number) => {
    const full = path.join(place, name)
    mkdirSync(full, { recursive: true })
    chmodSync(full, mode)
    return full
  }
  // Folders that the user can write to are left alone: a symlink created there would be followed with our privileges.
  const isNew = !existsSync(path.join(place, 'run'))
  for (const name of ['tmp', 'var-tmp', 'run']) {
    const full = folder(name, name === 'run' ? 0o755 : 0o1777)
    if (process.getuid?.() === 0) chownSync(full, owner.uid, owner.gid)
  }
  for (const name of ['dev', 'dev/pts', 'dev/shm', ...(isNew ? ['run/lock'] : [])]) folder(name, 0o755)
  const file = (name: string, text = '') => {
    const full = path.join(place, name)
    if (existsSync(full)) return
    mkdirSync(path.dirname(full), { recursive: true })
    writeFileSync(full, text)
    chmodSync(full, 0o644)
  }
  for (const name of passedThrough())
    if (isFolder(`/dev/${name}`)) folder(`dev/${name}`, 0o755)
    else file(`dev/${name}`)
  for (const [name, target] of links)
    if (!readdirSync(path.join(place, 'dev')).includes(name))
      symlinkSync(target, path.join(place, 'dev', name))
  file('resolv.conf', `nameserver ${UPLINK_NAME_SERVER}\n`)
  const resolv = realPath(RESOLV_CONF)
  if (isNew && isBelow(resolv, '/run')) file(resolv)
  writeFileSync(path.join(place, TABLE), mountTable(view))
  writeFileSync(path.join(place, NETWORK), view.networkCommands)
}

/** Escapes a field of a table of mounts, which a space would end. */
const field = (text: string) =>
  text.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
/** The source name of our file systems. It differs from the system's, or `mount` would take them for mounted. */
const OURS = 'flotilla'
const line = (source: string, target: string, type: string, options: string) =>
  [field(source), field(target), type, options, '0', '0'].join(' ')
const bind = (source: string, target: string, options = 'bind') => line(source, target, 'none', options)

/** The folders to hide, without duplicates, nested folders, and folders that are covered anyway. */
function hidden({ hide, owner }: View): string[] {
  const wanted = [...new Set(hide.filter((file) => path.isAbsolute(file)).map(realPath))].filter(
    (file) => file !== '/' && existsSync(file) && !own.some((folder) => isBelow(file, folder)),
  )
  return wanted.filter(
    (file) => file !== owner.home && !wanted.some((other) => other !== file && isBelow(file, other)),
  )
}

/** The mounts in their order. The home is last, because earlier mounts may cover it. */
function mountTable(view: View): string {
  const { place, owner, readOnly, sharedMemoryMb, network } = view
  const at = (name: string) => path.join(place, name)
  const held = (name: string) => `/proc/self/fd/${PLACE_FD}/${name}`
  const resolv = realPath(RESOLV_CONF)
  const names = network === 'uplink' ? at('resolv.conf') : resolv
  return [
    ...passedThrough().map((name) => bind(`/dev/${name}`, at(`dev/${name}`), 'rbind')),
    line(OURS, at('dev/pts'), 'devpts', 'newinstance,ptmxmode=0666,mode=620'),
    line(OURS, at('dev/shm'), 'tmpfs', `mode=1777,size=${sharedMemoryMb}m`),
    // On many systems resolv.conf points into /run and must stay available for name resolution.
    ...(isBelow(resolv, '/run')
      ? [bind(names, at(resolv), 'bind')]
      : names !== resolv
        ? [bind(names, resolv)]
        : []),
    ...readOnly
      .filter((folder) => isFolder(folder) && !own.some((covered) => isBelow(folder, covered)))
      .map((folder) => bind(folder, folder, 'rbind,ro,nosuid,nodev')),
    bind(held('dev'), '/dev', 'rbind,ro,nosuid,nodev'),
    bind(held('run'), '/run', 'rbind'),
    bind(held('var-tmp'), '/var/tmp'),
    bind(held('tmp'), '/tmp'),
    // The tmpfs is small because files in it take up memory.
    ...hidden(view).map((file) =>
      isFolder(file) ? line(OURS, file, 'tmpfs', 'mode=755,size=64k') : bind('/dev/null', file),
    ),
    bind(`/proc/self/fd/${HOME_FD}`, owner.home, 'bind,X-mount.mkdir'),
    '',
  ].join('\n')
}
