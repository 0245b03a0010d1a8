import { readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { FILES } from '../../../src/executor/daemon/wire'
import { processOf } from '../../../src/executor/processes'

// What a console starts and what outlives it: engines in workspaces, and the executors of clusters.

/** As `kill -9` of every simulated engine that works below this folder. */
export async function killEngines(dataDir: string): Promise<void> {
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')
    const folder = await readlink(`/proc/${entry}/cwd`).catch(() => '')
    if (command.includes('simulated-cloud') && folder.startsWith(dataDir))
      try {
        process.kill(Number(entry), 'SIGKILL')
      } catch {
        // It has ended on its own.
      }
  }
}

const inSpool = (dataDir: string, clusterId: string, file: string) =>
  readFile(path.join(dataDir, 'clusters', clusterId, 'spool', file), 'utf8').catch(() => '')

/** Whether it is a cluster of the built-in executor without jobs, of which nothing stays but the executor. */
export async function isIdle(dataDir: string, clusterId: string): Promise<boolean> {
  const queue = await inSpool(dataDir, clusterId, FILES.queue)
  return queue !== '' && !/"(queued|running|blocked)"/.test(queue)
}

export async function endExecutor(dataDir: string, clusterId: string): Promise<void> {
  const [pid = '', born = ''] = (await inSpool(dataDir, clusterId, FILES.pid)).trim().split(' ')
  if (born && String(processOf(Number(pid))?.born) === born) process.kill(Number(pid), 'SIGKILL')
}
