import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database/database'
import { plain, type Job, type Rate, type Sums } from '../../../test/support/app/plain-usage'
import { DAY, HOUR } from '../../../test/support/app/usage'
import type { Database } from '../../db/database'
import * as jobFigures from './job-figures/store'
import * as machineFigures from './machine-figures/store'
import type { Range } from './ranges'
import { foldUsage } from './sums/store'
import {
  addRate,
  beginMachines,
  endMachines,
  endUnreportedJobs,
  lockFeed,
  saveJobs,
  type ObservedJob,
} from './store'

const START = Date.UTC(2026, 0, 20)
const SEEN = START + 100 * DAY
const clusters = ['c0', 'c1', 'c2']
const sizes = ['', 'big']

let db: Database
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

let seed = 11
const random = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most
const pick = <T>(values: T[]): T => values[random(values.length)] as T

const job = (id: number): ObservedJob => {
  const startTime = START + random(80 * DAY) + random(1000)
  const length = pick([0, random(HOUR), random(5 * HOUR), random(4 * DAY), DAY])
  const runs = random(20) === 0
  return {
    id: String(id),
    name: 'job',
    user: `ext${random(4)}`,
    state: runs ? 'running' : 'succeeded',
    nodes: 1 + random(4),
    cores: 1 + random(64),
    gpus: random(3),
    nodeList: 'n1',
    startTime,
    ...(!runs && { endTime: startTime + length }),
    size: pick(sizes),
    recorded: random(2) === 0,
  }
}

/** Everything that can happen to the ledger, in any order. */
const known = new Map(clusters.map((id) => [id, [] as ObservedJob[]]))
const saved = (clusterId: string, jobs: ObservedJob[]) =>
  db.transaction((tx) => saveJobs(tx, clusterId, jobs))
let number = 0
const changes = [
  async () => {
    const clusterId = pick(clusters)
    const jobs = Array.from({ length: 1 + random(12) }, () => job(number++))
    known.get(clusterId)?.push(...jobs)
    await saved(clusterId, jobs)
  },
  // Records arrive late and correct what the queue showed.
  async () => {
    const clusterId = pick(clusters)
    const one = pick(known.get(clusterId) ?? [])
    if (one)
      await saved(clusterId, [
        { ...one, recorded: true, cores: 1 + random(64), endTime: one.startTime + random(2 * DAY) },
      ])
  },
  async () => {
    const clusterId = pick(clusters)
    const at = new Date(START + random(90 * DAY))
    if (random(6) === 0) await db.transaction((tx) => endUnreportedJobs(tx, clusterId, [], at))
  },
  // The user of an account becomes known, or a record is removed.
  () =>
    sql`update usage_jobs set user_id = ${`u${random(3)}`} where cluster_id = ${pick(clusters)}
      and native_id = ${String(random(number + 1))}`.execute(db.kysely),
  () =>
    sql`delete from usage_jobs where cluster_id = ${pick(clusters)} and native_id = ${String(random(number + 1))}`.execute(
      db.kysely,
    ),
  // Prices are set for now, for the past, for midnight and again for the same time.
  async () => {
    const from_at = new Date(pick([START + random(90 * DAY), START + random(90) * DAY, START + 7 * DAY + 1]))
    const [per_core_hour, per_gpu_hour] = [
      pick([null, 0, random(100) / 100]),
      pick([null, random(500) / 100]),
    ]
    const row = { cluster_id: pick(clusters), size: pick(sizes), from_at, per_core_hour, per_gpu_hour }
    await db.transaction((tx) => addRate(tx, row))
  },
  () =>
    random(8) === 0
      ? sql`delete from usage_rates where cluster_id = ${pick(clusters)} and size = ${pick(sizes)}
          and from_at > ${new Date(START + random(90 * DAY))}`.execute(db.kysely)
      : Promise.resolve(),
  async () => {
    const [clusterId, kind, name] = [pick(clusters), pick(['machine', 'disk'] as const), `n${random(3)}`]
    const at = new Date(START + number * 40 * 60_000)
    const state = pick(['busy', 'idle', 'stopped'] as const)
    await db.transaction(async (tx) => {
      await endMachines(tx, clusterId, [{ kind, name, at }])
      if (random(4) > 0)
        await beginMachines(tx, clusterId, [{ kind, name, state, per_hour: pick([null, 0.5, 1.25]), at }])
    })
  },
  // A server crashes while folding, which rolls back its transaction.
  async () => {
    const folds = db.transaction(async (tx) => {
      await sql`select usage_fold(${1 + random(50)})`.execute(tx)
      throw new Error('killed')
    })
    await expect(folds).rejects.toThrow('killed')
  },
  () => (random(3) === 0 ? foldUsage(db) : sql`select usage_fold(${1 + random(40)})`.execute(db.kysely)),
]

function expectSame(rows: (jobFigures.JobFigures & { key: string })[], truth: Map<string, Sums>) {
  expect(rows.map(({ key }) => key).toSorted()).toEqual([...truth.keys()].toSorted())
  for (const row of rows) {
    const sums = truth.get(row.key)
    expect(row.jobs, row.key).toBe(sums?.jobs)
    expect(row.core_hours).toBeCloseTo(sums?.core ?? 0, 6)
    expect(row.gpu_hours).toBeCloseTo(sums?.gpu ?? 0, 6)
    expect(row.node_hours).toBeCloseTo(sums?.node ?? 0, 6)
    expect(row.unpriced_core_hours).toBeCloseTo(sums?.unpriced ?? 0, 6)
    expect(row.price ?? 0).toBeCloseTo(sums?.price ?? 0, 5)
    // A job of zero length may have a price, which is zero.
    if (sums?.priced) expect(row.price).not.toBeNull()
    if (row.price === null) expect(sums?.priced).toBe(false)
  }
}

const somewhere = (): Range => {
  const from = START - 10 * DAY + random(80 * DAY)
  const ends = [
    from + 1 + random(3 * HOUR),
    from + 1 + random(100 * DAY),
    Math.ceil(from / DAY) * DAY + 40 * DAY,
  ]
  const month = { from: new Date(Date.UTC(2026, random(3))), to: new Date(Date.UTC(2026, 3)) }
  return random(6) === 0 ? month : { from: new Date(from), to: new Date(pick(ends)) }
}

it('returns what a plain computation over all records returns, for any sequence of changes', async () => {
  for (const cluster_id of clusters)
    await db.transaction((tx) =>
      lockFeed(tx, { cluster_id, name: cluster_id, provider: 'local', owner_id: '' }, new Date(SEEN)),
    )
  for (let round = 0; round < 8; round++) {
    for (let step = 0; step < 60; step++) await pick(changes)()
    const { rows: jobs } =
      await sql<Job>`select *, usage_who(user_id, account) as who from usage_jobs`.execute(db.kysely)
    const { rows: rates } = await sql<Rate>`select * from usage_rates`.execute(db.kysely)
    expect(jobs.length).toBeGreaterThan(0)
    for (let tries = 0; tries < 6; tries++) {
      const range = somewhere()
      const clusterId = pick([undefined, pick(clusters)])
      const who = pick([undefined, 'account ext1', 'user u1'])
      const [kind, name] = who?.split(' ') ?? []
      const filter = {
        clusterId,
        ...(kind === 'user' && { userId: name }),
        ...(kind === 'account' && { userId: '', account: name }),
      }
      const chosen = jobs.filter(
        (one) =>
          (clusterId === undefined || one.cluster_id === clusterId) && (who === undefined || one.who === who),
      )
      const truth = (keyOf: (one: Job, at: number) => string) =>
        plain(chosen, rates, { ...range, seen: SEEN }, keyOf)
      expectSame(
        (await jobFigures.jobsByAccount(db.kysely, range, filter)).map(({ user_id, account, ...row }) => ({
          ...row,
          key: user_id ? `user ${user_id}` : `account ${account}`,
        })),
        truth((one) => one.who),
      )
      expectSame(
        (await jobFigures.jobsByCluster(db.kysely, range, filter)).map((row) => ({
          ...row,
          key: row.cluster_id,
        })),
        truth((one) => one.cluster_id),
      )
      const days = await jobFigures.jobsByDay(db.kysely, range, filter)
      const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
      expectSame(
        days
          .map((row) => ({ ...row, key: dayOf(row.day.getTime()) }))
          .filter(({ jobs: count, core_hours }) => count > 0 || core_hours > 0),
        truth((_one, at) => dayOf(at)),
      )
      await expectSameMachines(range, clusterId)
    }
  }
})

async function expectSameMachines(range: Range, clusterId: string | undefined) {
  const now = new Date(START + 95 * DAY)
  const { rows } = await sql<{
    cluster_id: string
    kind: string
    name: string
    state: string
    from_at: Date
    to_at: Date | null
    per_hour: number | null
  }>`
    select * from usage_machines`.execute(db.kysely)
  const hours = rows
    .filter((row) => clusterId === undefined || row.cluster_id === clusterId)
    .map((row) => {
      const to = Math.min((row.to_at ?? now).getTime(), range.to.getTime())
      return { ...row, hours: Math.max(0, to - Math.max(row.from_at.getTime(), range.from.getTime())) / HOUR }
    })
    .filter((row) => row.hours > 0)
  const price = hours.reduce((sum, row) => sum + row.hours * (row.per_hour ?? 0), 0)
  const total = hours.reduce((sum, row) => sum + row.hours, 0)
  const unpriced = hours.reduce((sum, row) => sum + (row.per_hour === null ? row.hours : 0), 0)
  const sumOf = <T>(all: T[], of: (one: T) => number | null) =>
    all.reduce((sum, one) => sum + (of(one) ?? 0), 0)

  const byCluster = await machineFigures.machinesByCluster(db.kysely, range, { clusterId }, now)
  expect(sumOf(byCluster, ({ price: one }) => one)).toBeCloseTo(price, 5)
  expect(sumOf(byCluster, ({ ms }) => ms) / HOUR).toBeCloseTo(total, 6)
  expect(sumOf(byCluster, ({ unpriced_ms }) => unpriced_ms) / HOUR).toBeCloseTo(unpriced, 6)
  const byDay = await machineFigures.machinesByDay(db.kysely, range, { clusterId }, now)
  expect(sumOf(byDay, ({ price: one }) => one)).toBeCloseTo(price, 5)
  if (clusterId === undefined) return
  const byName = await machineFigures.machinesByName(db.kysely, range, { clusterId }, now)
  for (const { kind, name, busy_ms, price: one } of byName) {
    const mine = hours.filter((row) => row.kind === kind && row.name === name)
    expect(busy_ms / HOUR).toBeCloseTo(
      sumOf(
        mine.filter(({ state }) => state === 'busy'),
        (row) => row.hours,
      ),
      6,
    )
    expect(one ?? 0).toBeCloseTo(
      sumOf(mine, (row) => row.hours * (row.per_hour ?? 0)),
      5,
    )
  }
}

it('still sums the usage of other clusters if one reports more than an integer holds', async () => {
  const at = START + 200 * DAY
  const day = new Date(at).toISOString().slice(0, 10)
  const most = '9100000000000000000'
  for (const who of ['account a', 'account b'])
    await sql`insert into usage_job_deltas (day, cluster_id, who, jobs, core_ms, gpu_ms, node_ms, price, priced, unpriced_core_ms)
      values (${day}::date, 'hostile', ${who}, 1, ${most}::bigint, 0, 0, 0, 0, ${most}::bigint)`.execute(
      db.kysely,
    )
  await saved('honest', [
    { ...job(number++), startTime: at, endTime: at + HOUR, cores: 2, user: 'ext1', size: '' },
  ])
  await foldUsage(db)
  const range = { from: new Date(at - DAY), to: new Date(at + 2 * DAY) }
  const rows = await jobFigures.jobsByCluster(db.kysely, range, {})
  expect(rows.find(({ cluster_id }) => cluster_id === 'honest')).toMatchObject({ jobs: 1, core_hours: 2 })
})
