import { readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'

/**
 * What is left of an executor that does not answer any more: itself, and those that watch over its jobs. They are known by
 * its folder, in which one works and whose script the others run. A watcher that is asked to end first ends its job.
 */
export async function endLeftovers(spool: string): Promise<number> {
  const watcher = path.join(spool, 'guard.sh')
  const ended: number[] = []
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    if (words[1] === watcher) ended.push(...send(pid, 'SIGTERM'))
    else if (words.includes('daemon') && (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === spool)
      ended.push(...send(pid, 'SIGKILL'))
  }
  return ended.length
}

function send(pid: number, signal: NodeJS.Signals): number[] {
  try {
    process.kill(pid, signal)
    return [pid]
  } catch {
    // Gone in this moment.
    return []
  }
}
