import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { QueuedJob } from '../../../schedulers/scheduler'
import { TransportError } from '../../../transports/error'
import { testApp, type TestApp } from '../../../../test/support/app/app'
import { queuedJob } from '../../../../test/support/app/queued-job'
import { insertSubmission } from '../../../../test/support/app/rows'
import { hidingSite } from '../../../../test/support/schedulers/torque/hiding-site'
import type { ClusterAccess } from '../../clusters/open'
import { makeTracker } from './track'

let server: TestApp
let cluster: string
let boss: { id: string; token: string; username: string }
beforeAll(async () => {
  server = await testApp()
  boss = await server.person('boss', ['admin', 'user'])
  const body = { name: 'Torque', data: { manager: 'torque' as const, transport: 'local' as const } }
  const made = await server.must(api.clusters.createLocal, { body }, { token: boss.token })
  cluster = made.id
})
afterAll(() => server.close())

const submitted = async (nativeId: string | null, { array = '', asAdmin = false } = {}): Promise<string> => {
  const body = { name: 'parent', data: { script: 'true', array } }
  const job = await server.must(api.jobs.create, { body }, { token: boss.token })
  return insertSubmission(server, boss, {
    job_id: job.id,
    cluster_id: cluster,
    native_id: nativeId,
    run_as_admin: asAdmin,
    account: asAdmin ? 'admin' : 'boss',
    state: nativeId === null ? 'submitting' : 'running',
    data: JSON.stringify(job.data),
  })
}
const inQueue = (id: string, mark: string, state: 'running' | 'completed') =>
  queuedJob({
    id,
    mark,
    state,
    user: 'boss',
    ...(state === 'completed' && { ending: 'failed', exitCode: 9 }),
  })
/** A cluster whose resource manager has no history. */
const silent = {
  forSubmission: async () => ({ connection: { scheduler: { history: () => [] } } }),
} as unknown as ClusterAccess
const stateOf = (id: string) => server.must(api.jobs.submission, { id }, { token: boss.token })

it('recognizes a job by its number, whatever marks other jobs have', async () => {
  const tracker = makeTracker(server.db, {} as ClusterAccess, Date.now)
  const id = await submitted('7.head')
  const queue = [inQueue('7.head', id, 'running'), inQueue('8.head', id, 'completed')]
  const links = await tracker.onQueue(cluster, queue.toReversed())
  expect(await stateOf(id)).toMatchObject({ state: 'running', nativeId: '7.head' })
  expect([...links.keys()]).toEqual(['boss 7.head'])
  expect(links.get('boss 7.head')?.submissionId).toBe(id)
})

it('does not accept an implausible number for a submission', async () => {
  const tracker = makeTracker(server.db, silent, Date.now)
  const [forged, fine] = [await submitted(null), await submitted(null)]
  await tracker.onQueue(cluster, [
    inQueue('9'.repeat(4000), forged, 'running'),
    inQueue('41[].head', fine, 'running'),
  ])
  expect(await stateOf(forged)).toMatchObject({ state: 'submitting', nativeId: null })
  expect(await stateOf(fine)).toMatchObject({ state: 'running', nativeId: '41[].head' })
})

it.each(['Boss', 'boss@example.org'])('recognizes the account if a directory calls it %s', async (user) => {
  const tracker = makeTracker(server.db, silent, Date.now)
  const [id, unnumbered] = [await submitted('31.head'), await submitted(null)]
  const { mark: _mark, ...hidden } = inQueue('31.head', id, 'completed')
  const links = await tracker.onQueue(cluster, [
    { ...hidden, user },
    { ...inQueue('32.head', unnumbered, 'running'), user },
  ])
  expect(await stateOf(id)).toMatchObject({ state: 'failed' })
  expect(await stateOf(unnumbered)).toMatchObject({ state: 'running', nativeId: '32.head' })
  expect([...links.keys()]).toEqual([`${user} 31.head`, `${user} 32.head`])
})

it('no user can replace a job by claiming its number, not even a job that runs as admin', async () => {
  const tracker = makeTracker(server.db, silent, Date.now)
  const [id, asAdmin] = [await submitted('33.head'), await submitted('34.head', { asAdmin: true })]
  const claimed = (number: string) => {
    const { mark: _mark, ...job } = inQueue(number, '', 'completed')
    return { ...job, user: 'mallory', reportedBy: 'mallory' }
  }
  const links = await tracker.onQueue(cluster, [
    claimed('33.head'),
    inQueue('33.head', id, 'running'),
    claimed('34.head'),
  ])
  expect([...links.keys()]).toEqual(['boss 33.head'])
  expect(await stateOf(id)).toMatchObject({ state: 'running' })
  expect(await stateOf(asAdmin)).toMatchObject({ state: 'running' })
})

it("ignores reports of one user's account about another user's submission, whatever mark and name it has", async () => {
  const tracker = makeTracker(server.db, silent, Date.now)
  const [id, asAdmin, unnumbered] = [
    await submitted('35.head'),
    await submitted('36.head', { asAdmin: true }),
    await submitted(null),
  ]
  const reported = (number: string, mark: string, user: string) => ({
    ...inQueue(number, mark, 'completed'),
    user,
    reportedBy: 'mallory',
  })
  const links = await tracker.onQueue(cluster, [
    reported('35.head', id, 'mallory'),
    reported('35.head', '', 'boss@elsewhere'),
    reported('36.head', asAdmin, 'mallory'),
    reported('37.head', unnumbered, 'Boss'),
  ])
  expect([...links.keys()]).toEqual([])
  for (const one of [id, asAdmin]) expect(await stateOf(one)).toMatchObject({ state: 'running' })
  expect(await stateOf(unnumbered)).toMatchObject({ state: 'submitting', nativeId: null })
  await tracker.onQueue(cluster, [{ ...reported('35.head', '', 'Boss'), reportedBy: boss.id }])
  expect(await stateOf(id), 'reports about their own jobs count').toMatchObject({ state: 'failed' })
})

it("does not mistake another account's job for one with the same number", async () => {
  const tracker = makeTracker(server.db, silent, Date.now)
  const id = await submitted('9.head')
  const { mark: _mark, ...hidden } = inQueue('9.head', id, 'completed')
  const links = await tracker.onQueue(cluster, [{ ...hidden, user: 'mallory' }])
  expect(await stateOf(id)).toMatchObject({ state: 'running' })
  expect([...links.keys()]).toEqual([])
  await tracker.onQueue(cluster, [hidden])
  expect(await stateOf(id)).toMatchObject({ state: 'failed' })
})

it("does not mistake another account's job for one without a number, whatever its mark", async () => {
  const tracker = makeTracker(server.db, {} as ClusterAccess, Date.now)
  const id = await submitted(null)
  await tracker.onQueue(cluster, [{ ...inQueue('16.head', id, 'completed'), user: 'mallory' }])
  expect(await stateOf(id)).toMatchObject({ state: 'submitting', nativeId: null })
})

it('finds a job without a number by its mark, and ignores jobs that it has submitted itself', async () => {
  const tracker = makeTracker(server.db, {} as ClusterAccess, Date.now)
  const id = await submitted(null)
  await tracker.onQueue(cluster, [inQueue('17.head', id, 'running'), inQueue('18.head', id, 'completed')])
  expect(await stateOf(id)).toMatchObject({ state: 'running', nativeId: '17.head' })
})

describe('the history', () => {
  let clock = 0
  /** A tracker for a site with this history. */
  const trackerWith = (answer: () => Promise<QueuedJob[]>) =>
    makeTracker(
      server.db,
      {
        forSubmission: async () => ({ connection: { scheduler: { history: () => [recent, log] } } }),
        query: (_connection: unknown, query: unknown) => (query === log ? answer() : Promise.resolve([])),
      } as unknown as ClusterAccess,
      () => clock,
    )
  const [recent, log] = ['qstat', 'tracejob'].map((argv) => ({ argv: [argv], parse: () => [] }))
  const poll = async (tracker: ReturnType<typeof makeTracker>, times: number) => {
    for (let time = 0; time < times; time++, clock += 10 * 60_000) await tracker.onQueue(cluster, [])
  }

  it('gives the end of a job by its run time if a log has no time of the end', async () => {
    clock = 86_400_000
    const id = await submitted('20.head')
    const ended = { ...inQueue('20.head', id, 'completed'), used: { wallS: 90 } }
    const tracker = trackerWith(async () => [ended])
    await tracker.onQueue(cluster, [{ ...inQueue('20.head', id, 'running'), startTime: 1_000_000 }])
    await poll(tracker, 2)
    expect(await stateOf(id)).toMatchObject({ state: 'failed', endedAt: 1_090_000 })
  })

  it('without a record of a job that was requested to be canceled means that it was canceled', async () => {
    const id = await submitted('22.head')
    await server.db.kysely
      .updateTable('submissions')
      .set({ cancel_asked_at: new Date() })
      .where('id', '=', id)
      .execute()
    const tracker = trackerWith(async () => [])
    await poll(tracker, 2)
    expect(await stateOf(id)).toMatchObject({ state: 'canceled', reason: 'Canceled' })
  })

  it('that takes too long to search neither stops polling nor marks the job as lost', async () => {
    const id = await submitted('21.head')
    const slow = new TransportError('run command', 'timed out', 'tracejob took too long')
    let answer = (): Promise<QueuedJob[]> => Promise.reject(slow)
    const tracker = trackerWith(() => answer())
    await poll(tracker, 4)
    expect(await stateOf(id)).toMatchObject({ state: 'running' })
    answer = async () => [inQueue('21.head', id, 'completed')]
    await poll(tracker, 1)
    expect(await stateOf(id)).toMatchObject({ state: 'failed', exitCode: 9 })
  })
})

describe('without the right to see the jobs of others', () => {
  const MINUTE = 60_000
  let site: Awaited<ReturnType<typeof hidingSite>>
  let clock: number
  let tracker: ReturnType<typeof makeTracker>
  beforeEach(async () => {
    site = await hidingSite('boss')
    clock = Date.now()
    tracker = makeTracker(server.db, site.access, () => clock)
    return site.remove
  })
  const poll = async (times: number, everyMs = 10_000) => {
    for (let time = 0; time < times; time++, clock += everyMs)
      await tracker.onQueue(cluster, await site.queue())
  }

  it('queries as the owner of the job, who can see it run and end', async () => {
    const id = await submitted(await site.submit())
    // A job that arrived while the queue was read is missing from it too, so only the second poll counts.
    await poll(2)
    expect(await stateOf(id)).toMatchObject({ state: 'queued' })
    await poll(1)
    expect(await stateOf(id)).toMatchObject({ state: 'running' })
    await poll(1)
    expect(await stateOf(id)).toMatchObject({ state: 'completed', exitCode: 0 })
  })

  it('reads the end of a job from its folder if Torque has forgotten it', async () => {
    const id = await submitted('999.head')
    await site.writeEnd(
      id,
      '.flotilla-end',
      'id=999.head Exit_status=0 stopped= start=100 end=160 limit=60 exec_host=n1',
    )
    await poll(2)
    expect(await stateOf(id)).toMatchObject({
      state: 'completed',
      exitCode: 0,
      endedAt: 160_000,
      nodeList: 'n1',
    })
  })

  it.each([
    ['a time out of range', 'end=999999999999 exec_host=n1'],
    ['an invalid time', 'end=soon exec_host=n1'],
    ['endless nodes', `end=160 exec_host=${'n'.repeat(300_000)}`],
  ])('ignores %s, and jobs of other users are saved', async (_what, rest) => {
    const mine = await submitted('997.head')
    const other = await submitted('996.head')
    await site.writeEnd(mine, '.flotilla-end', `id=997.head Exit_status=0 stopped= start=100 ${rest}\n`)
    await site.writeEnd(other, '.flotilla-end', 'id=996.head Exit_status=3 start=100 end=160\n')
    await poll(2)
    const { state, endedAt, nodeList } = (await stateOf(mine)) as Record<string, unknown>
    expect({ state, ended: typeof endedAt }).toEqual({ state: 'completed', ended: 'number' })
    expect(['n1', null]).toContain(nodeList)
    expect(await stateOf(other)).toMatchObject({ state: 'failed', exitCode: 3 })
  })

  it('combines the records of all tasks of an array', async () => {
    const id = await submitted('56[].head', { array: '1-3' })
    const end = (task: number, code: number) =>
      site.writeEnd(
        id,
        `.flotilla-end-${task}`,
        `id=56[${task}].head Exit_status=${code} start=100 end=${160 + task}\n`,
      )
    await Promise.all([end(1, 0), end(2, 7), end(3, 0)])
    await poll(2)
    expect(await stateOf(id)).toMatchObject({ state: 'failed', exitCode: 7, endedAt: 163_000 })
  })

  it('ignores records of other jobs in the folder', async () => {
    const id = await submitted('999.head')
    await site.writeEnd(id, '.flotilla-end', 'id=998.head Exit_status=0 start=1 end=2')
    await poll(2, 2 * MINUTE)
    expect(await stateOf(id)).toMatchObject({ state: 'running' })
    await poll(2, 2 * MINUTE)
    expect(await stateOf(id)).toMatchObject({ state: 'lost' })
  })

  it('does not mark a job as lost while its account cannot be queried, and tracks it when it can', async () => {
    const id = await submitted(await site.submit())
    site.away = true
    await poll(4, 30 * MINUTE)
    expect(await stateOf(id)).toMatchObject({ state: 'running' })
    site.away = false
    await poll(4)
    expect(await stateOf(id)).toMatchObject({ state: 'completed', exitCode: 0 })
  })
})
