import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { roomOf } from '../../disk/disk-room'
import { findCgroups, inCgroup, makeCgroup } from './cgroup'
import { limited, limitsOfTerminal, type Limits } from './limits'
import { closedNetwork, kindOf, networkCommands, withUplink, type Network } from './network'
import { preparePlace, type View } from './sandbox'
import { buildSandbox } from './sandbox-script'
import type { Account, Config } from '../journal/state'

export const plainEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
}

/** The server's own account, which has no name in some containers. */
export function ownAccount(): { username: string; home: string } {
  try {
    const { username, homedir } = os.userInfo()
    return { username, home: homedir }
  } catch {
    return { username: String(process.getuid?.() ?? ''), home: '/' }
  }
}

const isRoot = () => process.getuid?.() === 0

const succeeds = (argv: readonly string[]) => {
  const [program = '', ...args] = argv
  const run = spawnSync(program, args, { env: plainEnvironment, encoding: 'utf8', timeout: 20_000 })
  return { ok: run.status === 0, output: (run.error?.message ?? run.stderr ?? '').trim() }
}

/** Creates PID and mount namespaces as root; later mounts of the machine still appear in them. */
const rootSpace = ['unshare', '--mount', '--propagation', 'slave', '--pid', '--fork', '--mount-proc']

/** The same without root, which requires a user namespace. */
const userSpace = [
  'unshare',
  '--user',
  '--map-current-user',
  '--keep-caps',
  '--mount',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
]

/** Drops the capabilities in the namespace before any code of the user runs. */
const withoutCapabilities = ['setpriv', '--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all', '--']

/** A change of account clears the parent-death signal, so setpriv sets it afterward. */
const become = ({ uid, gid }: Pick<Account, 'uid' | 'gid'>) =>
  `setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs --pdeathsig KILL --`.split(' ')

/** What this machine supports; detected once. */
export interface SandboxSupport {
  root: boolean
  /** Jobs can be contained by a PID namespace. */
  space: boolean
  /** Why users cannot be isolated from each other, or null if they can. */
  isolationBlockedReason: string | null
  /** A sandbox's network can have an uplink. */
  uplink: boolean
  /** The parent folder for groups with limits, or null. */
  cgroups: string | null
}

export const sandboxSupport = (): SandboxSupport => (found ??= detectSandboxSupport())
let found: SandboxSupport | undefined

function detectSandboxSupport(): SandboxSupport {
  const root = isRoot()
  return {
    root,
    space: process.platform === 'linux' && succeeds([...(root ? rootSpace : userSpace), 'true']).ok,
    isolationBlockedReason: findIsolationBlockedReason(),
    uplink: canUplink(),
    cgroups: findCgroups(),
  }
}

/** On many minimal systems only root can open the device that an uplink needs. */
function canUplink(): boolean {
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK)
  } catch {
    return false
  }
  return succeeds(['slirp4netns', '--version']).ok && succeeds(['ip', '-V']).ok
}

/**
 * Whether users who are not admins may use this machine. If the server runs as root, they have their own accounts;
 * otherwise they share the server's. In both cases only a sandbox protects their terminals and temporary files.
 */
export function canIsolate(): Promise<{ ok: boolean; reason?: string }> {
  const reason = sandboxSupport().isolationBlockedReason
  return Promise.resolve(reason === null ? { ok: true } : { ok: false, reason })
}

const programs = ['setpriv', 'unshare', 'setsid', 'flock', 'mount', 'prlimit']
const findMissing = 'for name; do command -v "$name" >/dev/null || { echo "$name" >&2; exit 1; }; done'

function findIsolationBlockedReason(): string | null {
  if (process.platform !== 'linux') return 'Users can be isolated on Linux only.'
  const missing = succeeds(['sh', '-c', findMissing, 'find', ...programs]).output
  if (missing !== '')
    return `Isolating users needs "${missing}", which is missing. Install the package util-linux.`
  const place = mkdtempSync(path.join(os.tmpdir(), 'flotilla-probe-'))
  try {
    const [uid, gid] = isRoot() ? [65534, 65534] : [process.getuid?.() ?? -1, process.getgid?.() ?? -1]
    const owner = { uid, gid, home: path.join(place, 'run') }
    const view: View = {
      owner,
      place,
      hide: [],
      readOnly: [],
      sharedMemoryMb: 1,
      network: 'loopback',
      networkCommands: '',
    }
    preparePlace(view)
    // The probe uses a separate devpts, which kernels deny most often.
    const { ok, output } = succeeds([...sandbox(view, limitsOfTerminal()), 'test', '-e', '/dev/pts/ptmx'])
    return ok ? null : refusedBySystem(output)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

const refusedBySystem = (output: string) =>
  (isRoot()
    ? 'The system does not let the server create the namespaces that isolate users, as in many containers. Grant it the capability SYS_ADMIN. '
    : 'The server does not run as root, and the system does not let it create the namespaces that isolate users. Start it as root, or allow unprivileged user namespaces. ') +
  `The system reported: ${output.split('\n')[0] ?? ''}`

/** The command prefix that runs a command in a sandbox as its owner. Everything in the sandbox ends with it. */
function sandbox({ owner, place, network }: View, limits: Limits): string[] {
  const uplink = network === 'uplink' ? ['sh', '-c', withUplink, 'uplink'] : []
  const own = ['--ipc', ...(network === 'machine' ? [] : ['--net'])]
  const isBound = limits.fileSize && existsSync(owner.home)
  const reserve = isBound ? String(Math.round(roomOf(owner.home).reserveBytes)) : ''
  const build = ['sh', '-c', buildSandbox, 'sandbox', place, owner.home, network, reserve]
  const bound = [...build, ...limited(limits)]
  return [
    ...uplink,
    ...(isRoot()
      ? ['setpriv', '--pdeathsig', 'KILL', '--', ...rootSpace, ...own, ...bound, 'setsid', ...become(owner)]
      : [...userSpace, ...own, ...bound, ...withoutCapabilities, 'setsid']),
  ]
}

/** Why nothing may run as this account, or null. No account means that an admin chose the server's own account. */
export function refusalOf(
  support: SandboxSupport,
  account: Account | null,
  { hide }: Pick<Config, 'hide'>,
): string | null {
  if (!account) return null
  if (account.uid === 0 || account.gid === 0) return 'User jobs never run as root.'
  if (!support.root && account.uid !== process.getuid?.())
    return `The server cannot act as ${account.username} because it does not run as root.`
  if (support.isolationBlockedReason !== null)
    return `Only admins can use this machine. ${support.isolationBlockedReason}`
  if (!support.root && hide.length === 0) return 'The folders hidden from jobs are not configured.'
  return null
}

interface SandboxSettings {
  spool: string
  /** Where the sandbox keeps its own files. */
  place: string
  /** Null for our own helpers, which need no network. */
  network: Network | null
  limits: Limits
  /** The name of its control group, if groups are supported. */
  group: string
}

type SandboxEntry = { argv: string[]; hold: 'space' | 'scan' }

/**
 * The command prefix that switches to the account of a job or terminal, and how its processes are contained. The
 * server's own account is not sandboxed; every other account gets a sandbox, whose `place` is prepared here.
 */
export function sandboxEntry(
  support: SandboxSupport,
  account: Account | null,
  config: Pick<Config, 'hide' | 'readOnly'>,
  { spool, place, network, limits, group }: SandboxSettings,
): SandboxEntry {
  if (!account) return asServer(support)
  const { cgroups } = support
  const grouped = cgroups && makeCgroup(path.join(cgroups, group), limits)
  const view: View = {
    owner: account,
    place,
    // If the server runs as root, file permissions protect its home, which may have programs that everyone uses, and
    // the control groups. Otherwise users share its account and could change both.
    hide: [...config.hide, spool, ...(support.root ? [] : [ownAccount().home, path.dirname(cgroups ?? '')])],
    readOnly: config.readOnly,
    sharedMemoryMb: Math.round(limits.memoryMb / 2),
    network: network ? kindOf(network, support.uplink) : 'loopback',
    networkCommands: networkCommands(network ?? closedNetwork),
  }
  preparePlace(view)
  return { argv: [...(grouped ? inCgroup(grouped) : []), ...sandbox(view, limits)], hold: 'space' }
}

function asServer({ root, space }: SandboxSupport): SandboxEntry {
  // In a user namespace the account would lose sudo and its groups.
  if (!root) return { argv: ['setsid'], hold: 'scan' }
  const end = ['setpriv', '--pdeathsig', 'KILL', '--']
  return space
    ? { argv: [...end, ...rootSpace, 'setsid', ...end], hold: 'space' }
    : { argv: ['setsid', ...end], hold: 'scan' }
}
