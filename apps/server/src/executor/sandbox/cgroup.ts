import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Limits } from './limits'

/**
 * Control groups (version 2) limit the memory and the processes of a job exactly. They can be created as root or in a
 * delegated group (`Delegate=yes` and `DelegateSubgroup=` in a systemd unit). Elsewhere only the limits of limits.ts
 * and watch.ts apply.
 */

const CONTROLLERS = ['memory', 'pids']

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const tokensIn = (file: string) => read(file).trim().split(/\s+/)

/** The parent folder of our groups; null if groups cannot be created. */
export function findCgroups(): string | null {
  const mount = / - cgroup2 /
  const line = read('/proc/self/mountinfo')
    .split('\n')
    .find((one) => mount.test(one))
  const top = line?.split(' ')[4]
  if (!top) return null
  if (process.getuid?.() === 0) return prepared(top, 'flotilla')
  const own = /^0::(.*)$/m.exec(read('/proc/self/cgroup'))?.[1]
  // The parent of our own group is used: a group that contains processes cannot distribute resources to subgroups.
  return own && own !== '/' ? prepared(path.join(top, path.dirname(own)), 'flotilla') : null
}

/** Creates a group below `parent` whose subgroups can have limits; null if the kernel denies it. */
export function prepared(parent: string, name: string): string | null {
  const ours = path.join(parent, name)
  try {
    for (const folder of [parent, ours]) {
      if (folder === ours) mkdirSync(ours, { recursive: true })
      if (!CONTROLLERS.every((one) => tokensIn(path.join(folder, 'cgroup.controllers')).includes(one)))
        return null
      if (!CONTROLLERS.every((one) => tokensIn(path.join(folder, 'cgroup.subtree_control')).includes(one)))
        writeFileSync(
          path.join(folder, 'cgroup.subtree_control'),
          CONTROLLERS.map((one) => `+${one}`).join(' '),
        )
    }
    return ours
  } catch {
    return null
  }
}

/** Creates a group with these limits, or updates an existing one; null if the kernel refuses. */
export function makeCgroup(folder: string, limits: Limits): string | null {
  try {
    setLimits(folder, limits)
    return folder
  } catch {
    removeCgroup(folder)
    return null
  }
}

function setLimits(folder: string, { memoryMb, processes }: Limits): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'memory.max'), String(memoryMb * 1024 ** 2))
  // The whole job is killed at once: with some of its processes missing, it would be useless.
  writeFileSync(path.join(folder, 'memory.oom.group'), '1')
  writeFileSync(path.join(folder, 'pids.max'), String(processes))
}

/** The command prefix that runs a command and its descendants in the group. */
export const inCgroup = (folder: string): string[] => ['sh', '-c', enterCgroup, 'cgroup', folder]
const enterCgroup = 'echo 0 >"$1/cgroup.procs" || exit 126; shift; exec "$@"'

/** Whether the kernel killed processes of the group because it exceeded its memory limit. */
export const ranOutOfMemory = (folder: string): boolean =>
  Number(/^oom_kill (\d+)$/m.exec(read(path.join(folder, 'memory.events')))?.[1] ?? 0) > 0

/** Removes the group, if it exists, and kills the processes in it. */
export function removeCgroup(folder: string): void {
  try {
    writeFileSync(path.join(folder, 'cgroup.kill'), '1', { flag: 'r+' })
  } catch {
    // Older kernels lack cgroup.kill; the processes have normally ended already.
  }
  try {
    rmdirSync(folder)
  } catch {
    // The group is still in use or already gone. An empty group takes no space.
  }
}
