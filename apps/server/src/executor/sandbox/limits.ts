import { readFileSync } from 'node:fs'
import os from 'node:os'
import type { Config, Job } from '../journal/state'

/** The fixed limits for a user's job or terminal on this machine. */
const FIXED = {
  /** The fraction of the machine's memory that jobs share in proportion to their cores; the console keeps the rest. */
  memoryOfJobs: 0.8,
  /** The minimum for a job, however small its share is. */
  leastMemoryMb: 1024,
  /** The fraction of the machine's memory for each terminal. */
  memoryOfTerminal: 0.2,
  /** Includes threads. */
  processes: 4096,
  openFiles: 65_536,
}

export interface Limits {
  memoryMb: number
  processes: number
  /** Whether files are limited to the free disk space; the console's own helpers are stopped before they write. */
  fileSize: boolean
}

const totalMb = () => os.totalmem() / 1024 ** 2

/**
 * A job's memory is its share by cores of the memory for jobs, or of the memory configured for the nodes. Concurrent
 * jobs together get less than the machine has, since they do not share cores.
 */
export function limitsOfJob(
  { nodes, cores }: Pick<Job, 'nodes' | 'cores'>,
  config: Pick<Config, 'nodes'>,
): Limits {
  // A job without cores, such as a desktop, has no share of them and gets as much as a terminal.
  if (cores === 0) return limitsOfTerminal()
  const all = config.nodes.reduce((sum, node) => sum + node.cores, 0)
  const share = Math.min(1, (nodes * cores) / Math.max(1, all))
  const given = config.nodes.reduce((sum, node) => sum + (node.memoryMb ?? NaN), 0)
  const most = FIXED.memoryOfJobs * totalMb()
  // Simulated nodes may claim more memory than this machine has; they still share what it has.
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

/** Our own hard limit, which only root may exceed. */
function ceiling(name: string): number {
  const line = readFileSync('/proc/self/limits', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(name))
  const hard = line?.slice(name.length).trim().split(/\s+/)[1]
  return hard === undefined || hard === 'unlimited' ? Infinity : Number(hard)
}

/**
 * The command prefix that limits a command. The total memory of all its processes is checked periodically (watch.ts);
 * the limit here keeps a single process from allocating so much at once that the check comes too late. It is twice the
 * memory limit because programs reserve more than they use.
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
