import { api } from '@flotilla/contract/api'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { account, usages, type AccountUsage } from '@flotilla/contract/site/usage'
import { clusters as clusterCalls } from '@flotilla/contract/clusters/clusters'
import { jobs as jobCalls } from '@flotilla/contract/jobs/jobs'
import { saveRates } from './machines'
import { addGap, endUnreportedJobs, lockFeed, noteHarvest, type ObservedJob } from './store'
import { insertSubmission } from '../../../test/support/app/rows'
import { DAY, HOUR, START, job, openLedger, range } from '../../../test/support/app/usage'

const { server, boss, cluster, save } = await openLedger()
afterAll(() => server.close())

const rate = (clusterId: string, at: number, perCoreHour: number | null, perGpuHour: number | null = null) =>
  server.db.transaction((tx) =>
    saveRates(
      tx,
      clusterId,
      { items: [], rates: [{ size: '', perCoreHour, perGpuHour }], sizeOf: new Map(), pricedSince: at },
      new Date(at),
    ),
  )
const as = (token: string) => ({ token })
const list = async (clusterId: string, from: number, to: number): Promise<AccountUsage | undefined> =>
  (await server.must(account.list, { ...range(from, to), query: { cluster: clusterId } }, as(boss.token)))[0]

it("jobs reported by a user's account count for that user, regardless of their job number", async () => {
  const made = await server.must(
    clusterCalls.createLocal,
    { body: { name: 'Torque', data: { manager: 'torque', transport: 'local' } } },
    as(boss.token),
  )
  const known = { cluster_id: made.id, name: 'Torque', provider: 'local', owner_id: boss.id }
  await server.db.transaction((tx) => lockFeed(tx, known, new Date(START + DAY)))
  const body = { name: 'one', data: { script: 'true' } }
  const { id } = await server.must(jobCalls.create, { body }, as(boss.token))
  await insertSubmission(
    server,
    { id: boss.id, username: 'boss' },
    {
      id: 'victim',
      job_id: id,
      cluster_id: made.id,
      native_id: '7.head',
      state: 'running',
      submitted_at: new Date(START),
    },
  )
  const mallory = await server.person('mallory', ['user'])
  const own = job('7.head', START + HOUR, undefined, { user: 'boss', recorded: false, reportedBy: boss.id })
  const claimed = { ...own, user: 'mallory', reportedBy: mallory.id, mark: 'victim', cores: 9999 }
  await save(made.id, claimed, own, { ...claimed, startTime: START + 2 * HOUR })
  await save(made.id, { ...claimed, endTime: START + HOUR }, own)
  const { rows } = await sql`select user_id, submission_id, cores, ended_at from usage_jobs
    where cluster_id = ${made.id} order by started_at`.execute(server.db.kysely)
  expect(rows).toEqual([
    { user_id: boss.id, submission_id: 'victim', cores: 8, ended_at: null },
    { user_id: mallory.id, submission_id: null, cores: 9999, ended_at: null },
  ])

  // A user may also have forged the job number of a submission.
  const claim = {
    id: 'claim',
    job_id: id,
    cluster_id: made.id,
    native_id: '8.head',
    state: 'running' as const,
  }
  await insertSubmission(
    server,
    { id: mallory.id, username: 'mallory' },
    { ...claim, submitted_at: new Date(START) },
  )
  await save(made.id, job('8.head', START + HOUR, undefined, { user: 'ann', recorded: true }))
  const { rows: strangers } = await sql`select user_id, submission_id from usage_jobs
    where cluster_id = ${made.id} and native_id = '8.head'`.execute(server.db.kysely)
  expect(strangers).toEqual([{ user_id: '', submission_id: null }])
})

describe('a range', () => {
  it('counts the part of a job that is inside', async () => {
    const id = await cluster()
    await save(id, job('1', START + 10 * HOUR, START + 12 * HOUR))
    const half = await list(id, START + 11 * HOUR, START + 20 * HOUR)
    expect(half).toMatchObject({ userAccount: 'ext1', jobs: 1, coreHours: 8, nodeHours: 2, price: null })
    expect(await list(id, START, START + 11 * HOUR)).toMatchObject({ jobs: 1, coreHours: 8 })
    expect(await list(id, START - DAY, START + DAY)).toMatchObject({ jobs: 1, coreHours: 16 })
    expect(await list(id, START + 12 * HOUR, START + 20 * HOUR)).toBeUndefined()
  })

  it('counts a job of several days once', async () => {
    const id = await cluster()
    await save(id, job('1', START + 20 * HOUR, START + 3 * DAY))
    expect(await list(id, START - DAY, START + 9 * DAY)).toMatchObject({ jobs: 1, coreHours: 52 * 8 })
    expect(await list(id, START + DAY, START + 2 * DAY)).toMatchObject({ jobs: 1, coreHours: 24 * 8 })
    expect(await list(id, START + DAY + 1000, START + 9 * DAY)).toMatchObject({ jobs: 1 })
  })

  it('counts a running job until it was last seen', async () => {
    const id = await cluster(boss, START + 5 * HOUR)
    await save(id, job('1', START + HOUR, undefined))
    expect(await list(id, START, START + 9 * DAY)).toMatchObject({ jobs: 1, coreHours: 32 })
    expect(await list(id, START + 4 * HOUR, START + DAY)).toMatchObject({ jobs: 1, coreHours: 8 })
  })

  it('applies prices by date, and none if none is known', async () => {
    const id = await cluster()
    await save(
      id,
      job('1', START + 6 * HOUR, START + 18 * HOUR),
      job('2', START + 2 * DAY, START + 2 * DAY + HOUR),
    )
    await rate(id, START + 12 * HOUR, 0.5)
    await rate(id, START + 15 * HOUR, 2)
    // Six hours have no price, three cost 0.5 and three cost 2, with 8 cores; one hour two days later costs 2.
    expect(await list(id, START - DAY, START + 9 * DAY)).toMatchObject({
      jobs: 2,
      coreHours: 104,
      price: 8 * (3 * 0.5 + 3 * 2 + 2),
      unpricedCoreHours: 48,
    })
    expect(await list(id, START, START + 12 * HOUR)).toMatchObject({ price: null, unpricedCoreHours: 48 })
    const jobs = await server.must(
      account.details,
      { userAccount: 'ext1', ...range(START + 14 * HOUR, START + 16 * HOUR), query: { cluster: id } },
      as(boss.token),
    )
    expect(jobs).toMatchObject([{ nativeId: '1', coreHours: 16, price: 8 * 0.5 + 8 * 2 }])
  })

  it('agrees with a plain sum over all jobs, for any range and any number of price changes', async () => {
    const id = await cluster()
    let seed = 7
    const random = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most
    const jobs = Array.from({ length: 400 }, (_, index) => {
      const from = START + random(12 * DAY)
      const to = from + (index % 10 === 0 ? random(3 * DAY) : index % 7 === 0 ? 0 : random(5 * HOUR))
      return job(String(index), from, to, { cores: 1 + random(64), gpus: random(3), user: `ext${random(3)}` })
    })
    await save(id, ...jobs)
    const changes = [START + 2 * DAY, START + 5 * DAY + 7777, START + 5 * DAY + 3 * HOUR, START + 9 * DAY + 1]
    for (const [index, at] of changes.entries()) await rate(id, at, 0.1 * (index + 1), index)
    const ranges = [
      [START, START + 12 * DAY],
      ...Array.from({ length: 12 }, () => [START + random(6 * DAY), START + 6 * DAY + random(9 * DAY)]),
      [START + 5 * DAY + HOUR, START + 5 * DAY + 2 * HOUR],
    ] as [number, number][]
    for (const [from, to] of ranges) {
      const rows = await server.must(
        account.list,
        { ...range(from, to), query: { cluster: id } },
        as(boss.token),
      )
      const inside = jobs.filter(
        ({ startTime, endTime = 0 }) => startTime < to && (endTime > from || startTime >= from),
      )
      const overlap = (one: ObservedJob, a: number, b: number) =>
        Math.max(0, Math.min(one.endTime ?? 0, to, b) - Math.max(one.startTime, from, a)) / HOUR
      const total = (of: (one: ObservedJob) => number) => inside.reduce((sum, one) => sum + of(one), 0)
      const price = total((one) =>
        changes.reduce(
          (sum, at, index) =>
            sum +
            overlap(one, at, changes[index + 1] ?? Infinity) *
              (one.cores * 0.1 * (index + 1) + one.gpus * index),
          0,
        ),
      )
      const got = (of: (row: AccountUsage) => number) => rows.reduce((sum, row) => sum + of(row), 0)
      expect(got((row) => row.jobs)).toBe(inside.length)
      expect(got((row) => row.coreHours)).toBeCloseTo(
        total((one) => overlap(one, 0, Infinity) * one.cores),
        4,
      )
      expect(got((row) => row.gpuHours)).toBeCloseTo(
        total((one) => overlap(one, 0, Infinity) * one.gpus),
        4,
      )
      expect(got((row) => row.price ?? 0)).toBeCloseTo(price, 3)
      const days = await server.must(
        usages.summary,
        { ...range(from, to), query: { cluster: id } },
        as(boss.token),
      )
      expect(days.days.reduce((sum, day) => sum + day.coreHours, 0)).toBeCloseTo(
        got((row) => row.coreHours),
        4,
      )
    }
  })

  it('is rejected if it is invalid', async () => {
    for (const [from, to, field] of [
      ['5', '5', 'endMs'],
      ['x', '5', 'startMs'],
      ['1', '9'.repeat(16), 'endMs'],
    ] as const) {
      const refusal = await server.refused(
        api.account.list,
        { startMs: from, endMs: to },
        { token: boss.token },
      )
      expect(refusal.status).toBe(400)
      expect(refusal).toMatchObject({ fields: { [field]: expect.any(String) } })
    }
  })
})

describe('saving jobs', () => {
  it('saves the same record once and corrects an estimate', async () => {
    const id = await cluster()
    const one = job('1', START, undefined, { recorded: false })
    await save(id, one)
    await save(id, one, one)
    await server.db.transaction((tx) => endUnreportedJobs(tx, id, [], new Date(START + HOUR)))
    const details = () =>
      server.must(
        account.details,
        { userAccount: 'ext1', ...range(START, START + DAY), query: { cluster: id } },
        as(boss.token),
      )
    expect(await details()).toMatchObject([{ estimated: true, endedAt: START + HOUR, coreHours: 8 }])
    await save(id, job('1', START, START + 2 * HOUR))
    // The queue can no longer change a recorded job.
    await save(id, one)
    await save(id, job('1', START, START + 3 * HOUR, { recorded: false }))
    expect(await details()).toMatchObject([{ estimated: false, endedAt: START + 2 * HOUR, coreHours: 16 }])
    expect(await list(id, START - DAY, START + 2 * DAY)).toMatchObject({ jobs: 1, coreHours: 16 })
  })

  it('shows a gap until the records of that period are read', async () => {
    const id = await cluster()
    const [from, to] = [new Date(START + HOUR), new Date(START + 3 * HOUR)]
    await server.db.transaction((tx) =>
      addGap(tx, id, from, to, 'The queue was not read during this period.'),
    )
    const gaps = async () =>
      (
        await server.must(
          usages.summary,
          { ...range(START, START + 2 * HOUR), query: { cluster: id } },
          as(boss.token),
        )
      ).gaps
    expect(await gaps()).toMatchObject([{ clusterId: id, from: START + HOUR, to: START + 2 * HOUR }])
    await server.db.transaction((tx) => noteHarvest(tx, id, new Date(START), new Date(START + DAY)))
    expect(await gaps()).toEqual([])
  })
})

describe('access to usage', () => {
  it("is limited to a user's own jobs, except for admins", async () => {
    const ada = await server.person('adal', ['user'])
    const eve = await server.person('evee', ['user'])
    const id = await cluster(ada)
    await save(id, job('1', START, START + HOUR, { user: 'adal' }))
    const at = range(START, START + DAY)
    const own = (who: { token: string }) => server.must(account.own, at, as(who.token))
    const ownJobs = (who: { token: string }) => server.must(account.ownJobs, at, as(who.token))
    // An account with the same name is not proof.
    expect(await own(ada)).toMatchObject({ userAccount: 'adal', jobs: 0, coreHours: 0, price: 0 })
    const names = (await server.must(account.list, { ...at, query: { cluster: id } }, as(boss.token))).map(
      ({ userAccount }) => userAccount,
    )
    expect(names).toEqual(['adal (not linked)'])
    const userAccount = 'adal (not linked)'
    expect(await server.must(account.details, { ...at, userAccount }, as(boss.token))).toMatchObject([
      { nativeId: '1' },
    ])

    await sql`update usage_jobs set user_id = ${ada.id} where cluster_id = ${id}`.execute(server.db.kysely)
    expect(await own(ada)).toMatchObject({ jobs: 1, nodeHours: 2 })
    expect(await ownJobs(ada)).toMatchObject([{ nativeId: '1' }])
    expect([(await own(eve)).jobs, await ownJobs(eve)]).toEqual([0, []])
    // The owner of a cluster has no access to its usage either.
    const refusals = await Promise.all([
      server.refused(account.list, at, as(ada.token)),
      server.refused(account.details, { ...at, userAccount: 'adal' }, as(ada.token)),
      server.refused(usages.details, { ...at, clusterId: id }, as(ada.token)),
      server.refused(usages.summary, { ...at, query: { cluster: id } }, as(ada.token)),
    ])
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  })
})
