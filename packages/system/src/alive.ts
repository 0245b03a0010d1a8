import { readFileSync } from 'node:fs'

/** Distinguishes a process from a later one with the same pid, even after a reboot. */
export interface Birth {
  pid: number
  /** In ticks since the machine started; empty where there is no /proc to look it up. */
  born: string
  boot: string
}

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    // Gone, or no Linux.
    return undefined
  }
}

/** The line of /proc/<pid>/stat, taken apart; undefined for one that has ended and waits to be noticed. */
export function birthIn(stat: string, boot: string): Birth | undefined {
  const pid = Number(stat.slice(0, stat.indexOf(' ')))
  // The name in brackets may hold anything, also brackets; what follows the last one does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ended = fields[0] === 'Z' || fields[0] === 'X'
  return pid > 0 && !ended ? { pid, born: fields[19] ?? '', boot } : undefined
}

const bootId = () => read('/proc/sys/kernel/random/boot_id')?.trim() ?? ''

export function birthOf(pid: number): Birth | undefined {
  const stat = read(`/proc/${pid}/stat`)
  return stat === undefined ? undefined : birthIn(stat, bootId())
}

/** Whether just this process still runs. */
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
