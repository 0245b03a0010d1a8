import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface Process {
  pid: number
  state: string
  parent: number
  session: number
  /** Processor time in seconds. */
  cpuS: number
  memoryMb: number
  /** In ticks since the machine started: distinguishes a process from a later one with the same pid. */
  born: string
}

/** Clock ticks per second: user space sees 100 on every Linux. */
const TICKS = 100
let page: number | undefined
/** In MB. */
const pageSize = () =>
  (page ??= (Number(spawnSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }).stdout) || 4096) / 1024 ** 2)

const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    // The process is gone or belongs to another user.
    return undefined
  }
}

export function processOf(pid: number): Process | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  if (!stat) return undefined
  // The name in parentheses may contain anything, even parentheses; the fields follow the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const number = (index: number) => Number(fields[index] ?? 0)
  return {
    pid,
    state: fields[0] ?? '',
    parent: number(1),
    session: number(3),
    // Includes the children it has waited for, so that the sum over a process tree never decreases.
    cpuS: (number(11) + number(12) + number(13) + number(14)) / TICKS,
    memoryMb: number(21) * pageSize(),
    born: fields[19] ?? '',
  }
}

export const pids = (): number[] =>
  readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))

/** The program and arguments, each followed by a zero byte; empty if the process is gone. */
export const cmdline = (pid: number): string => readText(`/proc/${pid}/cmdline`) ?? ''

/** Whether exactly this process is alive; a zombie is not. */
export function lives(pid: number, born: string): boolean {
  const found = processOf(pid)
  return found !== undefined && found.born === born && found.state !== 'Z' && found.state !== 'X'
}

/**
 * Identifies the boot of the machine. It also changes when a container is restarted, which keeps the machine's boot id
 * but has a new first process.
 */
export function bootName(): string {
  const id = readText('/proc/sys/kernel/random/boot_id')?.trim()
  if (!id) throw new Error('The built-in executor needs Linux with /proc.')
  return `${id}:${processOf(1)?.born ?? ''}`
}

/** All processes that carry the key of a job's attempt in their environment. */
export function withKey(key: string): number[] {
  const wanted = `\0FLOTILLA_JOB_KEY=${key}\0`
  return pids().filter((pid) => `\0${readText(`/proc/${pid}/environ`) ?? ''}`.includes(wanted))
}

export interface Used {
  cpuS: number
  memoryMb: number
}
export interface UsedBy extends Used {
  pids: number[]
}

/** The current usage of each guard's job: all descendants of the guard and the processes in their sessions. */
export function usage(guards: ReadonlySet<number>): Map<number, UsedBy> {
  const all = new Map(
    pids().flatMap((pid) => {
      const found = processOf(pid)
      return found ? [[pid, found] as const] : []
    }),
  )
  const owners = new Map<number, number | undefined>([...guards].map((guard) => [guard, guard]))
  const ownerOf = (pid: number, depth = 0): number | undefined => {
    if (owners.has(pid)) return owners.get(pid)
    const found = all.get(pid)
    const owner =
      found && depth < 64
        ? (ownerOf(found.parent, depth + 1) ??
          (found.session === pid ? undefined : ownerOf(found.session, depth + 1)))
        : undefined
    owners.set(pid, owner)
    return owner
  }
  const used = new Map<number, UsedBy>(
    [...guards].map((guard) => [guard, { cpuS: 0, memoryMb: 0, pids: [] }]),
  )
  for (const one of all.values()) {
    const owner = ownerOf(one.pid)
    const sum = owner === undefined || owner === one.pid ? undefined : used.get(owner)
    if (!sum) continue
    sum.cpuS += one.cpuS
    sum.memoryMb += one.memoryMb
    sum.pids.push(one.pid)
  }
  return used
}

/**
 * The descendant of this process that has its own network namespace, or the process itself if there is none. The
 * search follows the last child, since the network uplink is an older one.
 */
export function insideOf(pid: number): number {
  const networkOf = (one: number) => {
    try {
      return readlinkSync(`/proc/${one}/ns/net`)
    } catch {
      return undefined
    }
  }
  const outside = networkOf(pid)
  for (let one: number | undefined = pid, depth = 0; one !== undefined && depth < 32; depth++) {
    const network = networkOf(one)
    if (network !== undefined && network !== outside) return one
    const children: number[] = (readText(`/proc/${one}/task/${one}/children`) ?? '')
      .split(' ')
      .flatMap((text) => Number(text) || [])
    one = children.findLast((child) => networkOf(child) !== outside) ?? children.at(0)
  }
  return pid
}
