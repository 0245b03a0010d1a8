import { spawnSync } from 'node:child_process'
import os from 'node:os'
import type { Account, Config } from './state'
import { cover } from './guard'

export const plainEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
}

/** The server's own account; in a container it may be one that the system has no name for. */
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
  return { ok: run.status === 0, said: (run.error?.message ?? run.stderr ?? '').trim() }
}

/** A process namespace of its own, made by root; later mounts of the machine still appear in it. */
const rootSpace = ['unshare', '--mount', '--propagation', 'slave', '--pid', '--fork', '--mount-proc']

/** The same made by anybody, for whom it takes a user namespace; with other mounts, and other shared memory. */
const ownSpace = [
  'unshare',
  '--user',
  '--map-current-user',
  '--keep-caps',
  '--mount',
  '--pid',
  '--fork',
  '--kill-child',
  '--ipc',
  '--mount-proc',
]

/** What the rights over the namespace are given up with before anything of the person's runs. */
const withoutRights = ['setpriv', '--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all', '--']

/** What this machine allows, asked once. */
export interface Powers {
  root: boolean
  /** Processes can be held by a namespace. */
  space: boolean
}

export function findPowers(): Powers {
  const root = isRoot()
  return { root, space: succeeds([...(root ? rootSpace : ownSpace), 'true']).ok }
}

/**
 * Whether people who are no admins may run jobs on this machine. Under root they get accounts of their own; otherwise
 * their jobs share the server's account, and only namespaces keep them from its files and from each other.
 */
export function canIsolate(): Promise<{ ok: boolean; reason?: string }> {
  if (process.platform !== 'linux')
    return Promise.resolve({ ok: false, reason: 'Jobs can be kept apart on Linux only.' })
  const tool = (name: string) => ({
    ok: false,
    reason: `Jobs are kept apart with "${name}", which is missing. Install the package util-linux.`,
  })
  for (const name of ['setpriv', 'unshare', 'setsid', 'flock'])
    if (!succeeds([name, '--version']).ok) return Promise.resolve(tool(name))
  if (isRoot()) {
    const { ok, said } = succeeds([
      'setpriv',
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      '--no-new-privs',
      'true',
    ])
    return Promise.resolve(
      ok ? { ok } : { ok, reason: `The server runs as root but may not change accounts: ${said}` },
    )
  }
  const place = os.tmpdir()
  const probe = ['sh', '-c', cover, 'cover', place, place, '--', '--', ...withoutRights, 'true']
  const { ok, said } = succeeds([...ownSpace, ...probe])
  if (ok) return Promise.resolve({ ok })
  return Promise.resolve({
    ok,
    reason:
      'The server does not run as root, and the system does not let it make namespaces, with which jobs are kept apart. ' +
      `Start it as root, or allow unprivileged user namespaces. The system said: ${said.split('\n')[0] ?? ''}`,
  })
}

export type Refusal = { refused: string }

/**
 * How to become who the job runs as: the words before the command, and how its processes are held. No account means
 * that an admin chose the server's own.
 */
export function entrance(
  powers: Powers,
  account: Account | null,
  config: Config,
  places: { spool: string; tmp: string },
): { argv: string[]; hold: 'space' | 'scan'; privateTmp: boolean } | Refusal {
  const own = process.getuid?.() ?? -1
  if (account?.uid === 0 || account?.gid === 0) return { refused: 'Jobs of people never run as root.' }
  if (powers.root) {
    // The signal on the parent's death is lost with a change of account, so it is asked for after that.
    const change = account
      ? [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', '--no-new-privs']
      : []
    const become = ['setpriv', ...change, '--pdeathsig', 'KILL', '--']
    return powers.space
      ? {
          argv: ['setpriv', '--pdeathsig', 'KILL', '--', ...rootSpace, 'setsid', ...become],
          hold: 'space',
          privateTmp: false,
        }
      : { argv: ['setsid', ...become], hold: 'scan', privateTmp: false }
  }
  // An admin's job has all that the account has; in a user namespace it would lose sudo and its groups.
  if (!account) return { argv: ['setsid'], hold: 'scan', privateTmp: false }
  if (account.uid !== own)
    return { refused: `The server does not run as root and cannot act as ${account.username}.` }
  if (config.hide.length === 0) return { refused: 'It has not been set up which folders jobs may not see.' }
  if (!powers.space)
    return {
      refused: 'The system does not let the server keep jobs apart, so only admins may run them here.',
    }
  const fences = { ...config, hide: [...config.hide, places.spool] }
  return { argv: [...enclosed(account.home, places.tmp, fences), 'setsid'], hold: 'space', privateTmp: true }
}

/**
 * The words before a command of a person who shares the server's account: it sees this home and this folder as /tmp,
 * but not what is to be hidden, nor any process outside. Everything in it ends with it.
 */
function enclosed(
  home: string,
  tmp: string,
  { hide, readOnly }: Pick<Config, 'hide' | 'readOnly'>,
): string[] {
  const always = [ownAccount().home, `/run/user/${process.getuid?.()}`, ...sockets]
  const all = [...new Set([...always, ...hide])]
    .filter((path) => path !== '/' && path.startsWith('/'))
    // Parents before what lies in them, or they would cover it.
    .toSorted((a, b) => a.length - b.length)
  const covered = ['sh', '-c', cover, 'cover', tmp, home, ...readOnly, '--', ...all, '--']
  return [...ownSpace, ...covered, ...withoutRights]
}

/** Whoever reaches one of these can have things done outside. */
const sockets = ['/run/docker.sock', '/run/podman/podman.sock', '/run/containerd/containerd.sock']
