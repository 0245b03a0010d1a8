import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { birthOf } from '@flotilla/system/alive'
import type { ServerConfig } from '../../../config'
import { sandboxEntry, sandboxSupport, refusalOf } from '../../../executor/sandbox/isolation'
import { limitsOfTerminal } from '../../../executor/sandbox/limits'
import { Watch, type Watched } from '../../../executor/watch'
import type { Enclosure } from './connections'

/**
 * Isolates users on this machine from each other. They cannot see any of the server's data, and they cannot change the
 * server's program. All terminals of a person share one /tmp, /var/tmp and /run, which begin empty with the server.
 */
export function openEnclosure(
  { dataDir, masterKeyFile }: ServerConfig,
  ownFiles: string,
): Enclosure & { stop(): void } {
  const fences = { hide: [dataDir, masterKeyFile], readOnly: [ownFiles] }
  const places = ownPlaces(path.join(dataDir, 'tmp'))
  const support = sandboxSupport()
  const terminals = new Set<Watched>()
  const watch = new Watch(dataDir, () => terminals)
  watch.start()
  return {
    fences,
    stop: () => watch.stop(),
    watch(pid, end) {
      const one = { pid, memoryMb: limitsOfTerminal().memoryMb, end }
      terminals.add(one)
      return () => void terminals.delete(one)
    },
    async enter(account, network) {
      const refused = refusalOf(support, account, fences)
      if (refused !== null) throw new Error(refused)
      // Everything in a place shares one mount table and one network.
      const place = path.join(places, network ? 'people' : 'files', path.basename(account.home))
      await mkdir(place, { recursive: true, mode: 0o700 })
      const { argv } = sandboxEntry(support, account, fences, {
        spool: dataDir,
        place,
        network: network ?? null,
        limits: { ...limitsOfTerminal(), fileSize: network !== undefined },
        group: `person-${path.basename(account.home)}`,
      })
      return [...argv, 'env', '-C', account.home]
    },
  }
}

/**
 * Several servers may share DATA_DIR: each has a folder of its own, and removes the folders of servers on this machine
 * that have ended.
 */
function ownPlaces(folder: string): string {
  const nameFor = (pid: number) => `${os.hostname()}-${pid}`
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) {
    const pid = Number(name.split('-').at(-1))
    const isEnded = name === nameFor(pid) && (pid === process.pid || birthOf(pid) === undefined)
    if (isEnded) rmSync(path.join(folder, name), { recursive: true, force: true })
  }
  return path.join(folder, nameFor(process.pid))
}
