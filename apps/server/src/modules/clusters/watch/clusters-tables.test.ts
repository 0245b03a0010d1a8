import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sent } from '@flotilla/contract/endpoint'
import { makeSnapshots } from '../../snapshots/snapshots'
import type * as scheduler from '../../../schedulers/scheduler'
import { testApp, type TestApp } from '../../../../test/support/app/app'
import { DAY, HOUR, job, node } from '../../../../test/support/app/large-cluster'
import { soakIt } from '../../../../test/support/soak'

const JOBS = 10_000
const NODES = 5000

const jobs = Array.from({ length: JOBS }, (_, index) => job(index))
const nodes = Array.from({ length: NODES }, (_, index) => node(index))

let server: TestApp
let token: string
let id: string
let snapshots: ReturnType<typeof makeSnapshots>
beforeAll(async () => {
  server = await testApp()
  ;({ token } = await server.person('boss', ['admin', 'user']))
  const body = { name: 'Large', data: { manager: 'slurm' as const, transport: 'local' as const } }
  id = (await server.must(api.clusters.createLocal, { body }, { token })).id
  snapshots = makeSnapshots(server.db, Date.now)
  await snapshots.save(id, { jobs, nodes, links: new Map() })
})
afterAll(() => server.close())
const save = (listed: scheduler.QueuedJob[], by = snapshots) =>
  by.save(id, { jobs: listed, nodes: null, links: new Map() })

type Query = Sent<typeof api.clusters.queue>['query']
const queue = (query: Query = {}) => server.must(api.clusters.queue, { id, query }, { token })
const nodesOf = (query: Sent<typeof api.clusters.nodes>['query'] = {}) =>
  server.must(api.clusters.nodes, { id, query }, { token })
const ids = async (query: Query) => (await queue({ limit: '500', ...query })).rows.map((row) => row.id)
const expected = (wanted: (job: scheduler.QueuedJob) => boolean) => jobs.filter(wanted).map((row) => row.id)

describe('the queue of ten thousand jobs', () => {
  it('is paged, in the order of the resource manager', async () => {
    const first = await queue()
    expect(first).toMatchObject({ total: JOBS, matching: JOBS })
    expect(first.rows.map((row) => row.id)).toEqual(expected(() => true).slice(0, 100))
    expect(await ids({ offset: '9990', limit: '100' })).toEqual(expected(() => true).slice(9990))
    expect(await ids({ offset: '20000' })).toEqual([])
    const route = api.clusters.queue.path.replace(':id', id)
    for (const wrong of ['limit=0', 'limit=501', 'offset=-1', 'filterType=like'])
      expect((await server.call('GET', `${route}?${wrong}`, { as: token })).status).toBe(400)
  })

  soakIt('supports every kind of filter, on one column and on all', async () => {
    type Check = [Query, (job: scheduler.QueuedJob) => boolean]
    const checks: Check[] = [
      [{ filter: 'weather', column: 'name' }, ({ name }) => name.startsWith('Weather')],
      [
        { filter: 'WEATHER 10', filterType: 'startsWith', column: 'name' },
        ({ name }) => name.startsWith('Weather 10'),
      ],
      [{ filter: '999%', filterType: 'endsWith', column: 'name' }, ({ name }) => name.endsWith('999%')],
      [{ filter: 'sim_1%', filterType: 'matches', column: 'name' }, ({ name }) => name === 'sim_1%'],
      [{ filter: '_1%', column: 'name' }, ({ name }) => name.includes('_1%')],
      [{ filter: 'eve', filterType: 'matches', column: 'user' }, ({ user }) => user === 'Eve'],
      [{ filter: '15', filterType: 'greaterThan', column: 'cores' }, ({ cores }) => cores > 15],
      [{ filter: '2', filterType: 'lessThan', column: 'cores' }, ({ cores }) => cores < 2],
      [{ filter: '9989', filterType: 'greaterThan', column: 'id' }, (one) => Number(one.id) > 9989],
      [{ filter: '10', filterType: 'lessThan', column: 'id' }, (one) => Number(one.id) < 10],
      [
        { filter: '2026-01-01T02:46:30Z', filterType: 'greaterThan', column: 'submitTime' },
        ({ submitTime = 0 }) => submitTime > DAY + 9990 * 1000,
      ],
      [{ filter: 'not a number', filterType: 'greaterThan', column: 'cores' }, () => false],
      [{ filter: '7500' }, ({ id: own, name }) => own.includes('7500') || name.includes('7500')],
      [{ filter: 'weather 99' }, ({ name }) => name.startsWith('Weather 99')],
      // Without a column, a numeric filter matches numbers, but no times, time limits or texts.
      [{ filter: '12', filterType: 'greaterThan' }, ({ cores }) => cores > 12],
      [
        { filter: '2', filterType: 'lessThan' },
        ({ cores, nodes: own, gpus }) => Math.min(cores, own, gpus) < 2,
      ],
      [{ filter: '3599', filterType: 'greaterThan' }, () => false],
      [{ filter: 'a', filterType: 'greaterThan' }, () => false],
      [{ filter: '2026-01-01', filterType: 'greaterThan' }, () => false],
      // A time limit is compared in minutes or as it is shown, and is also found by its text.
      ...['60', '01:00:00', '1 h', '0-01:00:00'].map((filter): Check => [
        { filter, filterType: 'greaterThan', column: 'timeLimitS' },
        ({ timeLimitS = 0 }) => timeLimitS > 3600,
      ]),
      [{ filter: '3599', filterType: 'greaterThan', column: 'timeLimitS' }, () => false],
      [{ filter: '1 h 30 min' }, ({ timeLimitS }) => timeLimitS === 5400],
      [{ filter: '02:00:00', column: 'timeLimitS' }, ({ timeLimitS }) => timeLimitS === 7200],
      [
        { filter: '90', filterType: 'matches', column: 'timeLimitS' },
        ({ timeLimitS }) => timeLimitS === 5400,
      ],
      [{ filter: '5400', column: 'timeLimitS' }, () => false],
      [{ state: 'blocked' }, ({ state }) => state === 'blocked'],
      [
        { state: 'running', filter: 'weather', column: 'name' },
        ({ state, name }) => state === 'running' && name.startsWith('Weather'),
      ],
      // A text filter that matches any column does not override the state filter.
      [
        { state: 'queued', filter: '99' },
        (one) => one.state === 'queued' && (one.id.includes('99') || one.name.includes('99')),
      ],
      [{ state: "queued' or true" }, () => false],
      [{ filter: "'; drop table cluster_queue; --" }, () => false],
      [{ filter: '\\' }, () => false],
    ]
    for (const [query, wanted] of checks) {
      const { rows, matching, total } = await queue({ limit: '500', ...query })
      expect(
        rows.map((row) => row.id),
        JSON.stringify(query),
      ).toEqual(expected(wanted).slice(0, 500))
      expect(matching, JSON.stringify(query)).toBe(expected(wanted).length)
      expect(total).toBe(JOBS)
    }
  })

  it('sorts by every kind of column, in both directions, with numbers as numbers', async () => {
    const descending = { descending: 'true', limit: '3' } as const
    expect(await ids({ sort: 'id', ...descending })).toEqual(['10000', '9999', '9998'])
    expect((await queue({ sort: 'name', limit: '3' })).rows.map(({ name }) => name)).toEqual([
      'sim_1%',
      'sim_2%',
      'sim_3%',
    ])
    expect((await queue({ sort: 'cores', ...descending })).rows.map(({ cores }) => cores)).toEqual([
      16, 16, 16,
    ])
    expect(await ids({ sort: 'submitTime', ...descending })).toEqual(['10000', '9999', '9998'])
    // Missing values come last in either direction.
    for (const direction of ['true', 'false'] as const)
      expect((await queue({ sort: 'startTime', descending: direction, limit: '1' })).rows[0]?.startTime).toBe(
        DAY + HOUR,
      )
    expect(await ids({ sort: 'user', filter: 'weather', column: 'name', limit: '2' })).toEqual(['1', '31'])
    expect(await ids({ sort: 'nosuchcolumn', limit: '1' })).toEqual(['1'])
  })

  it('is stored incrementally: a job that leaves changes no other row', async () => {
    const versions = async () => {
      const { rows } = await server.db.pool.query<{ job_id: string; xmin: string }>(
        'select job_id, xmin::text from cluster_queue where cluster_id = $1',
        [id],
      )
      return new Map(rows.map((row) => [row.job_id, row.xmin]))
    }
    const before = await versions()
    const moved = [
      ...jobs.slice(1, 200),
      { ...job(5000), state: 'running' as const },
      ...jobs.slice(200, 5000),
      ...jobs.slice(5001),
      { ...job(JOBS), id: 'new' },
    ]
    expect(await save(moved)).toBe(true)
    const after = await versions()
    expect(
      [...after]
        .filter(([key, version]) => before.get(key) !== version)
        .map(([key]) => key)
        .toSorted(),
    ).toEqual(['5001', 'new'])
    expect([...before.keys()].filter((key) => !after.has(key))).toEqual(['1'])
    expect((await queue({ offset: '198', limit: '3' })).rows.map((row) => row.id)).toEqual([
      '200',
      '5001',
      '201',
    ])
    expect(await save(moved)).toBe(false)
    // Another server, which has not saved this queue, finds no change either.
    expect(await makeSnapshots(server.db, Date.now).save(id, { jobs: moved, nodes, links: new Map() })).toBe(
      false,
    )
    await save(jobs)
  })

  it('filters and sorts by the states that users see, however the jobs ended', async () => {
    const done = (own: string, more: Partial<scheduler.QueuedJob>): scheduler.QueuedJob => ({
      ...job(0),
      id: own,
      name: own,
      nodeList: '',
      state: 'completed',
      // Torque has only one state letter for all endings.
      nativeState: 'C',
      ...more,
    })
    const mixed = [
      done('well', { ending: 'succeeded', exitCode: 0 }),
      done('bad', { ending: 'failed', exitCode: 3, reason: 'Wrong' }),
      done('slow', { ending: 'timed_out', exitCode: 143 }),
      done('off', { ending: 'canceled', exitCode: 271 }),
      { ...done('now', {}), state: 'running' as const, nativeState: 'R' },
    ]
    await save(mixed)
    expect(await ids({ filter: 'Failed' })).toEqual(['bad'])
    expect(await ids({ filter: 'Timed out' })).toEqual(['slow'])
    expect(await ids({ filter: 'failed', filterType: 'matches', column: 'state' })).toEqual(['bad'])
    expect(await ids({ filter: 'canceled', column: 'state' })).toEqual(['off'])
    expect(await ids({ filter: 'completed' })).toEqual(['well'])
    expect(await ids({ filter: 'Ended', filterType: 'matches' })).toEqual(['well', 'bad', 'slow', 'off'])
    expect(await ids({ filter: 'exit 3' })).toEqual(['bad'])
    const byExitCode = { filter: '100', filterType: 'greaterThan' } as const
    expect(await ids(byExitCode), 'exit codes that are not shown').toEqual([])
    expect(await ids({ filter: '271' })).toEqual([])
    expect(await ids({ ...byExitCode, column: 'exitCode' })).toEqual(['slow', 'off'])
    expect(await ids({ filter: 'g', filterType: 'lessThan', column: 'state' })).toHaveLength(3)
    expect(await ids({ state: 'completed' })).toHaveLength(4)
    expect(await ids({ sort: 'state' })).toEqual(['off', 'well', 'bad', 'now', 'slow'])
    expect((await queue({ filter: 'off' })).rows).toMatchObject([{ state: 'completed', outcome: 'canceled' }])
    await save(jobs)
  })

  it('keeps apart jobs of different people whose IDs look alike', async () => {
    const reported = [
      { ...job(0), id: '5', user: 'alice' },
      { ...job(0), id: '5', user: 'bob', name: 'of bob' },
      { ...job(0), id: '5 bob', user: 'mallory', name: 'posing' },
    ]
    const other = makeSnapshots(server.db, Date.now)
    await other.save(id, { jobs: reported, nodes: null, links: new Map() })
    expect((await queue()).rows.map(({ name }) => name).toSorted()).toEqual(
      ['of bob', 'posing', job(0).name].toSorted(),
    )
    await other.save(id, { jobs, nodes: null, links: new Map() })
  })

  it('tolerates a resource manager that reports one job twice', async () => {
    const twice = [job(0), { ...job(0), name: 'again' }]
    const other = makeSnapshots(server.db, Date.now)
    expect(await save(twice, other)).toBe(true)
    expect((await queue()).rows.map(({ name }) => name)).toEqual(['again'])
    await save(jobs, other)
  })
})

describe('five thousand nodes', () => {
  it('are filtered by cores and memory as they are shown', async () => {
    const matching = async (query: Query) => (await nodesOf(query)).matching
    expect(await matching({ filter: '249', filterType: 'greaterThan', column: 'memoryMb' })).toBe(NODES)
    expect(await matching({ filter: '250', filterType: 'lessThan', column: 'memoryMb' })).toBe(0)
    expect(await matching({ filter: '250 GB' })).toBe(NODES)
    expect(await matching({ filter: '256000' })).toBe(0)
    expect(await matching({ filter: '64 of 64', filterType: 'matches', column: 'coresUsed' })).toBe(76)
  })

  it('can be found by their partitions, which are also shown', async () => {
    expect((await nodesOf({ filter: 'batch' })).matching).toBe(NODES)
    expect((await nodesOf({ filter: '["batch', column: 'partitions' })).matching).toBe(0)
  })

  it('are returned in natural order, and can be filtered and sorted', async () => {
    const first = await nodesOf({ limit: '12' })
    expect(first).toMatchObject({ total: NODES, matching: NODES })
    expect(first.rows.map(({ name }) => name)).toEqual(nodes.slice(0, 12).map(({ name }) => name))
    expect(
      (await nodesOf({ sort: 'name', descending: 'true', limit: '2' })).rows.map(({ name }) => name),
    ).toEqual(['n5000', 'n4999'])
    expect(
      await nodesOf({ filter: 'down', filterType: 'matches', column: 'state', limit: '1' }),
    ).toMatchObject({
      matching: 50,
    })
    expect(await nodesOf({ state: 'down', limit: '1' })).toMatchObject({ matching: 50, total: NODES })
    expect(await nodesOf({ state: 'available', filter: "doesn't" })).toMatchObject({ matching: 0 })
    expect(await nodesOf({ filter: "doesn't" })).toMatchObject({ matching: 50 })
    expect(await nodesOf({ filter: '49', filterType: 'greaterThan', column: 'load' })).toMatchObject({
      matching: 49,
    })
    expect((await nodesOf({ sort: 'load', descending: 'true', limit: '1' })).rows[0]?.name).toBe('n4999')
  })

  it('list the jobs that run on them, even when a range includes the node', async () => {
    const on = async (name: string) => {
      const reply = await server.must(api.clusters.node, { cluster: id, node: name }, { token })
      return reply.jobs.map((row) => row.id)
    }
    expect(await on('n2')).toEqual(['1', '2'])
    expect(await on('n10')).toEqual(['9', '10'])
    expect(await on('n5000')).toEqual([])
    expect((await server.refused(api.clusters.node, { cluster: id, node: 'n5001' }, { token })).status).toBe(
      404,
    )
  })
})
