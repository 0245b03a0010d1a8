import { readFile, statfs } from 'node:fs/promises'

/** USER_HZ: the kernel reports times to programs in this unit on every Linux. */
const TICKS_PER_S = 100

const readOr = (file: string): Promise<string> => readFile(file, 'latin1').catch(() => '')

/** The CPU time in seconds and the memory in bytes of a process and its children. Null if it has ended. */
export async function processFigures(pid: number): Promise<{ cpuS: number; memory: number } | null> {
  const children = (await readOr(`/proc/${pid}/task/${pid}/children`)).split(' ').filter(Boolean)
  const all = await Promise.all([String(pid), ...children].map(oneProcess))
  if (all[0] === undefined) return null
  const found = all.filter((one) => one !== undefined)
  return {
    cpuS: found.reduce((sum, { cpuS }) => sum + cpuS, 0),
    memory: found.reduce((sum, { memory }) => sum + memory, 0),
  }
}

async function oneProcess(pid: string): Promise<{ cpuS: number; memory: number } | undefined> {
  const [stat, status] = await Promise.all([readOr(`/proc/${pid}/stat`), readOr(`/proc/${pid}/status`)])
  if (!stat) return undefined
  // The name in parentheses may contain parentheses itself, so the other fields begin after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0)
  // Memory shared with other processes is left out, because it would count once for each of them.
  const own = Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0)
  return { cpuS: ticks / TICKS_PER_S, memory: own * 1024 }
}

/** The size and the usage of the disk that holds this folder. */
export async function diskFigures(folder: string): Promise<{ total: number; used: number }> {
  const { blocks, bavail, bsize } = await statfs(folder)
  return { total: blocks * bsize, used: (blocks - bavail) * bsize }
}

/** Measures percent of a core between two readings of a counter of seconds; the first one measures since the start. */
export function makeMeter(now: () => number) {
  let last: { at: number; cpuS: number; percent: number } | undefined
  return (cpuS: number, startedAt: number): number => {
    const at = now()
    // Two readings within a second are too close to tell anything.
    if (last && at - last.at < 1000) return last.percent
    const since = last && cpuS >= last.cpuS ? last : { at: startedAt, cpuS: 0 }
    const percent = (100 * 1000 * (cpuS - since.cpuS)) / Math.max(1, at - since.at)
    last = { at, cpuS, percent }
    return percent
  }
}
