import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { torque } from '../../schedulers/torque'
import { databaseOfTest } from '../../../test/support/database/database'
import { testFolder } from '../../../test/support/folder'
import { testLocal } from '../../../test/support/machines/local'
import { testLog } from '../../../test/support/log'
import { until } from '../../../test/support/until'
import { soakIt } from '../../../test/support/soak'
import type { Polled } from '../clusters/open'
import { makeFeed } from './feed'
import { gaps, jobs } from './records/store'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const START = Date.UTC(2026, 0, 10, 9)
const seconds = (ms: number) => Math.floor(ms / 1000)

/** A Torque server's folder, and a cluster whose accounting log is read from it with the production code. */
async function site({ maxBytes = 1_000_000, created = START, builtin = false } = {}) {
  const db = await databaseOfTest()
  const home = await testFolder()
  const logs = path.join(home, 'server_priv/accounting')
  await mkdir(logs, { recursive: true })
  const transport = testLocal()
  let clock = START
  let queries = 0
  const feed = makeFeed({
    db,
    clusters: {
      access: {
        isBuiltin: () => builtin,
        query: async (
          _connection: unknown,
          { argv, parse }: { argv: string[]; parse(result: unknown): never },
        ) => {
          queries++
          return parse(await transport.exec(argv, { timeoutMs: 30_000, maxBytes, env: { PBS_HOME: home } }))
        },
      },
      costsOf: () => Promise.resolve({ items: [], rates: [], sizeOf: new Map(), pricedSince: null }),
      unpolled: () => Promise.resolve([]),
      // Border: only the parts of the clusters that the feed needs.
    } as unknown as Parameters<typeof makeFeed>[0]['clusters'],
    log: testLog().log,
    now: () => clock,
  })
  const cluster = {
    id: 'c1',
    name: 'Torque',
    provider: builtin ? 'aws' : 'local',
    owner_id: 'boss',
    created_at: new Date(created),
    data: { manager: 'torque' },
  }
  const polled = { cluster, connection: { scheduler: torque }, jobs: [], nodes: [] } as unknown as Polled
  const range = { from: new Date(START - 90 * 24 * HOUR), to: new Date(START + 90 * 24 * HOUR) }
  return {
    logs,
    queries: () => queries,
    /** Reports that the queue was read at this time. */
    poll: async (at: number) => {
      clock = at
      await feed.onPolled(polled)
    },
    gaps: async () =>
      (await gaps(db.kysely, range, {}, new Date(clock), 4 * MINUTE)).map(({ from_at, to_at }) => [
        from_at.getTime(),
        to_at.getTime(),
      ]),
    found: () => jobs(db.kysely, range, {}, 10_000),
    /** Writes records of ten-minute jobs that ended at these times. */
    record: async (day: string, ends: number[]) => {
      const lines = ends.map(
        (end, index) =>
          `01/10/2026 00:00:00;E;${day}${index}.head;user=ann jobname=j start=${seconds(end - 10 * MINUTE)} exec_host=n1/0 ` +
          `unique_node_count=1 total_execution_slots=1 end=${seconds(end)} Exit_status=0 resources_used.walltime=00:10:00`,
      )
      await writeFile(path.join(logs, day), `${lines.join('\n')}\n`)
    },
  }
}

it('shows a gap while the queue is not read, until the records of that period arrive', async () => {
  const { logs, record, poll, gaps: shown, found } = await site()
  await poll(START)
  await until(async () => (await shown()).length === 0)
  // The cluster is unavailable for two and a half days, and its log cannot be read when it is back.
  const back = START + 60 * HOUR
  await rename(logs, `${logs} lost`)
  await poll(back)
  expect(await shown()).toEqual([[START, back]])
  // A cluster without records is queried again an hour later. By then the log is back.
  await rename(`${logs} lost`, logs)
  await record('20260111', [START + 20 * HOUR, START + 26 * HOUR])
  await record('20260112', [START + 50 * HOUR])
  let at = back
  while (at < back + 70 * MINUTE) await poll((at += 2 * MINUTE))
  await until(async () => {
    // Polls until the log is read: the test's clock may be ahead of a program that is still reading.
    await poll((at += 2 * MINUTE))
    return (await found()).length === 3
  })
  await until(async () => (await shown()).length === 0)
})

it('keeps the gap of a cluster without records', async () => {
  const { logs, poll, gaps: shown } = await site()
  await rename(logs, `${logs} lost`)
  await poll(START)
  await poll(START + 5 * MINUTE)
  for (let at = START + 6 * MINUTE; at < START + 80 * MINUTE; at += 2 * MINUTE) await poll(at)
  expect(await shown()).toEqual([[START, START + 5 * MINUTE]])
})

soakIt(
  'queries shorter periods if there are more records than one query can return, and misses none',
  async () => {
    const { record, poll, found, queries, gaps: shown } = await site({ maxBytes: 20_000 })
    const day = Date.UTC(2026, 0, 8)
    // A job every three minutes of a day makes 100 KB.
    await record(
      '20260108',
      Array.from({ length: 480 }, (_, index) => day + index * 3 * MINUTE),
    )
    await poll(START)
    await until(async () => (await found()).length === 480)
    expect(queries()).toBeGreaterThan(31)
    expect(await shown()).toEqual([])
  },
)

it('queries the built-in executor only for periods without polls, and not before its cluster existed', async () => {
  const { poll, queries, gaps: shown } = await site({ builtin: true })
  for (let at = START; at < START + 20 * MINUTE; at += 2 * MINUTE) await poll(at)
  expect(queries()).toBe(0)
  await poll(START + 40 * MINUTE)
  await until(async () => (await shown()).length === 0)
  expect(queries()).toBe(1)
})
