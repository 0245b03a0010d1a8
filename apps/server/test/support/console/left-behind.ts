import { readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { FILES } from '../../../src/executor/daemon/wire'
import { processOf } from '../../../src/executor/processes'

// Processes that outlive the console that started them: engines in workspaces, and the executors of clusters.

/** Kills every simulated engine that runs below this folder with SIGKILL. */
export async function killEngines(dataDir: string): Promise<void> {
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')
    const folder = await readlink(`/proc/${entry}/cwd`).catch(() => '')
    if (command.includes('simulated-cloud') && folder.startsWith(dataDir))
      try {
        process.kill(Number(entry), 'SIGKILL')
      } catch {
        // The process has already ended.
      }
  }
}

const inSpool = (dataDir: string, clusterId: string, file: string) =>
  readFile(path.join(dataDir, 'clusters', clusterId, 'spool', file), 'utf8').catch(() => '')

/** Whether it is a cluster of the built-in executor without active jobs, so that only the executor must be ended. */
export async function isIdle(dataDir: string, clusterId: string): Promise<boolean> {
  const queue = await inSpool(dataDir, clusterId, FILES.queue)
  return queue !== '' && !/"(queued|running|blocked)"/.test(queue)
}

export async function endExecutor(dataDir: string, clusterId: string): Promise<void> {
  const [pid = '', born = ''] = (await inSpool(dataDir, clusterId, FILES.pid)).trim().split(' ')
  if (born && String(processOf(Number(pid))?.born) === born) process.kill(Number(pid), 'SIGKILL')
}
