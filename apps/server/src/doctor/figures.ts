import { readFile, statfs } from 'node:fs/promises'

/** The same on every Linux that programs can see. */
const TICKS_PER_S = 100

const readOr = (file: string): Promise<string> => readFile(file, 'latin1').catch(() => '')

/** A process and its children: processor time in seconds and memory in bytes. Null for one that is gone. */
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
  // The name in brackets may hold anything, also brackets; what follows the last one does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0)
  // Without what it shares with others, which would count once for each of them.
  const own = Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0)
  return { cpuS: ticks / TICKS_PER_S, memory: own * 1024 }
}

/** How full the disk is that holds this folder. */
export async function diskFigures(folder: string): Promise<{ total: number; used: number }> {
  const { blocks, bavail, bsize } = await statfs(folder)
  return { total: blocks * bsize, used: (blocks - bavail) * bsize }
}

/** Percent of a core between two looks at a counter of seconds; from the first look, since the start. */
export function makeMeter(now: () => number) {
  let last: { at: number; cpuS: number; percent: number } | undefined
  return (cpuS: number, startedAt: number): number => {
    const at = now()
    // Two looks in the same second say little.
    if (last && at - last.at < 1000) return last.percent
    const since = last && cpuS >= last.cpuS ? last : { at: startedAt, cpuS: 0 }
    const percent = (100 * 1000 * (cpuS - since.cpuS)) / Math.max(1, at - since.at)
    last = { at, cpuS, percent }
    return percent
  }
}
