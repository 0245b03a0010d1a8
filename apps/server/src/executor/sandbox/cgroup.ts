import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Limits } from './limits'

/**
 * Control groups (version 2) limit the memory and the processes of a job exactly, where we may make them: as root, or
 * in a group that was delegated to us (`Delegate=yes` and `DelegateSubgroup=` of a systemd unit). Elsewhere limits.ts
 * and watch.ts do it alone.
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

/** Below which our groups are made; null where that is not possible. */
export function findCgroups(): string | null {
  const mount = / - cgroup2 /
  const line = read('/proc/self/mountinfo')
    .split('\n')
    .find((one) => mount.test(one))
  const top = line?.split(' ')[4]
  if (!top) return null
  if (process.getuid?.() === 0) return prepared(top, 'flotilla')
  const own = /^0::(.*)$/m.exec(read('/proc/self/cgroup'))?.[1]
  // The group above ours: one that holds processes itself cannot share out what it has.
  return own && own !== '/' ? prepared(path.join(top, path.dirname(own)), 'flotilla') : null
}

/** A group below `parent` whose own groups have limits; null when the kernel refuses any of it. */
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
  // All of it ends together: half a job is no use to anyone.
  writeFileSync(path.join(folder, 'memory.oom.group'), '1')
  writeFileSync(path.join(folder, 'pids.max'), String(processes))
}

/** The words before a command that put it, and all that it starts, into the group. */
export const inCgroup = (folder: string): string[] => ['sh', '-c', enterCgroup, 'cgroup', folder]
const enterCgroup = 'echo 0 >"$1/cgroup.procs" || exit 126; shift; exec "$@"'

/** Whether the kernel ended what was in it for using too much memory. */
export const ranOutOfMemory = (folder: string): boolean =>
  Number(/^oom_kill (\d+)$/m.exec(read(path.join(folder, 'memory.events')))?.[1] ?? 0) > 0

/** With everything in it, if it exists. */
export function removeCgroup(folder: string): void {
  try {
    writeFileSync(path.join(folder, 'cgroup.kill'), '1', { flag: 'r+' })
  } catch {
    // Older kernels cannot do that; what was in it has ended on its own as a rule.
  }
  try {
    rmdirSync(folder)
  } catch {
    // Still in use, or gone. An empty one takes no space.
  }
}
