import { readFileSync } from 'node:fs'
import os from 'node:os'
import type { Config, Job } from '../journal/state'

/** What one job or terminal of a person may use of this machine. Everything that is fixed stands here. */
const FIXED = {
  /** Of the machine's memory: what all jobs get together, by their share of the cores; the rest is the console's. */
  memoryOfJobs: 0.8,
  /** However small a job's share is. */
  leastMemoryMb: 1024,
  /** Of the machine's memory, for each terminal. */
  memoryOfTerminal: 0.2,
  /** Threads count too. */
  processes: 4096,
  openFiles: 65_536,
}

export interface Limits {
  memoryMb: number
  processes: number
  /** Whether files stay within the room that the disk has; the console's own helpers are stopped before they write. */
  fileSize: boolean
}

const totalMb = () => os.totalmem() / 1024 ** 2

/**
 * A job's memory: its cores' share of what jobs get, or of what its nodes are said to have. Jobs that run together
 * have less than the machine, as they do not share cores.
 */
export function limitsOfJob(
  { nodes, cores }: Pick<Job, 'nodes' | 'cores'>,
  config: Pick<Config, 'nodes'>,
): Limits {
  // What takes no core has no share of them: a desktop gets as much as a terminal.
  if (cores === 0) return limitsOfTerminal()
  const all = config.nodes.reduce((sum, node) => sum + node.cores, 0)
  const share = Math.min(1, (nodes * cores) / Math.max(1, all))
  const given = config.nodes.reduce((sum, node) => sum + (node.memoryMb ?? NaN), 0)
  const most = FIXED.memoryOfJobs * totalMb()
  // Simulated nodes may be said to have more than this machine: they share what it has all the same.
  const fair = Math.max(FIXED.leastMemoryMb, share * most)
  const wanted = Number.isNaN(given) ? fair : Math.min(fair, share * given)
  return {
    memoryMb: Math.ceil(Math.min(most, wanted)),
    processes: Math.min(...config.nodes.map((node) => node.processes ?? FIXED.processes), FIXED.processes),
    fileSize: true,
  }
}

export const limitsOfTerminal = (): Limits => ({
  memoryMb: Math.round(FIXED.memoryOfTerminal * totalMb()),
  processes: FIXED.processes,
  fileSize: true,
})

/** No one but root may ask for more than it has itself. */
function ceiling(name: string): number {
  const line = readFileSync('/proc/self/limits', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(name))
  const hard = line?.slice(name.length).trim().split(/\s+/)[1]
  return hard === undefined || hard === 'unlimited' ? Infinity : Number(hard)
}

/**
 * The words before a command that bound it. The memory of all its processes together is watched (watch.ts); here one
 * process is kept from taking so much at once that the watch comes too late. Programs reserve more than they use, so
 * that is twice as much.
 */
export function limited({ memoryMb, processes }: Limits): string[] {
  const at = (name: string, wanted: number) => Math.min(wanted, ceiling(name))
  const files = at('Max open files', FIXED.openFiles)
  return [
    'prlimit',
    `--nproc=${at('Max processes', processes)}`,
    `--nofile=${Math.min(4096, files)}:${files}`,
    `--data=${at('Max data size', 2 * memoryMb * 1024 ** 2)}`,
    '--core=0',
    '--',
  ]
}
