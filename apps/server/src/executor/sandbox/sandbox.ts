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
 * What jobs, terminals and file helpers of people see of this machine: their home, a small /dev with terminals of its
 * own, and a /tmp, /var/tmp and /run that no one else has. Described as a table of mounts, which one program makes all
 * at once (sandbox-script.ts): a program for each mount would cost a job's start more than everything else together.
 */

interface Owner {
  uid: number
  gid: number
  home: string
}

export interface View {
  owner: Owner
  /** The folder that holds its /dev, /run, /tmp and /var/tmp. No one else may get into it. */
  place: string
  /** Folders and files that it does not see. */
  hide: readonly string[]
  /** Folders that it cannot change. */
  readOnly: readonly string[]
  /** The most that /dev/shm holds. */
  sharedMemoryMb: number
  network: NetworkKind
  /** What is set in a network of its own; see network.ts. */
  networkCommands: string
}

/** Descriptors under which the script keeps the place and the home open while other mounts cover them. */
export const PLACE_FD = 4
export const HOME_FD = 5
/** The file of a place that lists its mounts, in the form of /etc/fstab. */
export const TABLE = 'mounts'
/** The file of a place that sets up its network. */
export const NETWORK = 'network'

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
/** GPUs and fast networks, as far as there are any. */
const accelerators = /^(nvidia.*|dri|kfd|infiniband)$/
const links: readonly [name: string, target: string][] = [
  ['ptmx', 'pts/ptmx'],
  ['fd', '/proc/self/fd'],
  ['stdin', '/proc/self/fd/0'],
  ['stdout', '/proc/self/fd/1'],
  ['stderr', '/proc/self/fd/2'],
]
const RESOLV_CONF = '/etc/resolv.conf'
/** Covered by the sandbox's own, so there is nothing in them to hide. */
const own = ['/dev', '/run', '/tmp', '/var/tmp']

const isBelow = (file: string, folder: string) => file === folder || file.startsWith(`${folder}/`)
const isFolder = (file: string) => statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false
const realPath = (file: string) => (existsSync(file) ? realpathSync(file) : file)

const passedThrough = () => [...devices, ...readdirSync('/dev').filter((name) => accelerators.test(name))]

/** Makes what a place is to hold, as far as it is missing. */
export function preparePlace(view: View): void {
  const { owner, place } = view
  const folder = (name: string, mode: number) => {
    const full = path.join(place, name)
    mkdirSync(full, { recursive: true })
    chmodSync(full, mode)
    return full
  }
  // What the person may write to stays as they left it: a link that they put there would be followed with our rights.
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

/** A field of a table of mounts: spaces would end it. */
const field = (text: string) =>
  text.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
/** The name of file systems that we make. Another one than the system's, or `mount` would take them for mounted. */
const OURS = 'flotilla'
const line = (source: string, target: string, type: string, options: string) =>
  [field(source), field(target), type, options, '0', '0'].join(' ')
const bind = (source: string, target: string, options = 'bind') => line(source, target, 'none', options)

/** Folders to hide: none twice, none in another one, none in what is covered anyway. */
function hidden({ hide, owner }: View): string[] {
  const wanted = [...new Set(hide.filter((file) => path.isAbsolute(file)).map(realPath))].filter(
    (file) => file !== '/' && existsSync(file) && !own.some((folder) => isBelow(file, folder)),
  )
  return wanted.filter(
    (file) => file !== owner.home && !wanted.some((other) => other !== file && isBelow(file, other)),
  )
}

/** In the order in which they are made. The home comes last: what covers it is made before. */
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
    // What finds addresses by name is in /run on many systems, and must stay.
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
    // Small, as what is written there takes memory.
    ...hidden(view).map((file) =>
      isFolder(file) ? line(OURS, file, 'tmpfs', 'mode=755,size=64k') : bind('/dev/null', file),
    ),
    bind(`/proc/self/fd/${HOME_FD}`, owner.home, 'bind,X-mount.mkdir'),
    '',
  ].join('\n')
}
