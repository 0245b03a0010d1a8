import { lockFeed, saveJobs, type ObservedJob } from '../../../src/modules/usage/store'
import { testApp } from './app'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR
export const START = Date.UTC(2026, 0, 10)

export const range = (from: number, to: number) => ({ startMs: String(from), endMs: String(to) })

export const job = (
  id: string,
  from: number,
  to: number | undefined,
  more: Partial<ObservedJob> = {},
): ObservedJob => ({
  id,
  name: `job ${id}`,
  user: 'ext1',
  state: to === undefined ? 'running' : 'succeeded',
  nodes: 2,
  cores: 8,
  gpus: 0,
  nodeList: 'n[1-2]',
  startTime: from,
  ...(to !== undefined && { endTime: to }),
  size: '',
  recorded: true,
  ...more,
})

/** A console without clusters; the tests write usage data of made-up ones. */
export async function openLedger() {
  const server = await testApp()
  const boss = await server.person('boss', ['admin', 'user'])
  let numbers = 0
  return {
    server,
    boss,
    /** A cluster that was last seen at this time. */
    cluster: async (owner = boss, seenAt = START + 30 * DAY): Promise<string> => {
      const id = `cluster${++numbers}`
      const known = { cluster_id: id, name: `Cluster ${numbers}`, provider: 'local', owner_id: owner.id }
      await server.db.transaction((tx) => lockFeed(tx, known, new Date(seenAt)))
      return id
    },
    save: (clusterId: string, ...jobs: ObservedJob[]) =>
      server.db.transaction((tx) => saveJobs(tx, clusterId, jobs)),
  }
}
