import { readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'

/**
 * Ends what is left of an unresponsive executor: its own process and its job watchers. They are identified by its folder:
 * the executor's working directory, and the location of the watchers' script. A watcher ends its job before it exits.
 */
export async function endLeftovers(spool: string): Promise<number> {
  const watcher = path.join(spool, 'guard.sh')
  const ended: number[] = []
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    if (args[1] === watcher) ended.push(...send(pid, 'SIGTERM'))
    else if (args.includes('daemon') && (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === spool)
      ended.push(...send(pid, 'SIGKILL'))
  }
  return ended.length
}

function send(pid: number, signal: NodeJS.Signals): number[] {
  try {
    process.kill(pid, signal)
    return [pid]
  } catch {
    // It has just exited.
    return []
  }
}
