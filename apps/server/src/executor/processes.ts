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

/** The same on every Linux that programs can see. */
const TICKS = 100
let page: number | undefined
/** In MB. */
const pageSize = () =>
  (page ??= (Number(spawnSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }).stdout) || 4096) / 1024 ** 2)

const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    // Gone, or someone else's.
    return undefined
  }
}

export function processOf(pid: number): Process | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  if (!stat) return undefined
  // The name in brackets may hold anything, also brackets; what follows the last one does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const number = (index: number) => Number(fields[index] ?? 0)
  return {
    pid,
    state: fields[0] ?? '',
    parent: number(1),
    session: number(3),
    // With that of the children it has waited for, so that a sum over a family never goes down.
    cpuS: (number(11) + number(12) + number(13) + number(14)) / TICKS,
    memoryMb: number(21) * pageSize(),
    born: fields[19] ?? '',
  }
}

export const pids = (): number[] =>
  readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))

/** Its program and arguments, with a zero byte after each; empty for what is gone. */
export const cmdline = (pid: number): string => readText(`/proc/${pid}/cmdline`) ?? ''

/** Whether just this process still lives; one that has ended and waits to be noticed does not. */
export function lives(pid: number, born: string): boolean {
  const found = processOf(pid)
  return found !== undefined && found.born === born && found.state !== 'Z' && found.state !== 'X'
}

/**
 * Which run of the machine this is: changes with a restart of the machine, and with that of a container, which has
 * the machine's boot id but another first process.
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

/** What each guard's job uses now: everything that descends from it or is in a session that does. */
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
 * The process below this one that is in a network of its own, or the process itself when there is none. The youngest
 * child leads there: an uplink of the network is an older one.
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
