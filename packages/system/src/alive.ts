import { readFileSync } from 'node:fs'

/** Identifies a process, and distinguishes it from a later one with the same pid, even after a reboot. */
export interface Birth {
  pid: number
  /** In clock ticks since boot; empty on systems without /proc. */
  born: string
  boot: string
}

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    // The process has ended, or this is not Linux.
    return undefined
  }
}

/** Parses a line of /proc/<pid>/stat; undefined for a zombie process. */
export function birthIn(stat: string, boot: string): Birth | undefined {
  const pid = Number(stat.slice(0, stat.indexOf(' ')))
  // The name in parentheses may contain any characters, including parentheses, but the fields after the last one
  // cannot.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ended = fields[0] === 'Z' || fields[0] === 'X'
  return pid > 0 && !ended ? { pid, born: fields[19] ?? '', boot } : undefined
}

const bootId = () => read('/proc/sys/kernel/random/boot_id')?.trim() ?? ''

export function birthOf(pid: number): Birth | undefined {
  const stat = read(`/proc/${pid}/stat`)
  return stat === undefined ? undefined : birthIn(stat, bootId())
}

/** Whether this very process is still running, rather than a later one with the same pid. */
export function isAlive({ pid, born, boot }: Birth): boolean {
  if (born !== '') {
    const now = birthOf(pid)
    return now !== undefined && now.born === born && now.boot === boot
  }
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
