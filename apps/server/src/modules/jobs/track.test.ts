import { afterAll, beforeAll, expect, it } from 'vitest'
import type { QueuedJob } from '../../schedulers/scheduler'
import { testApp, type TestApp } from '../../../test/support/app'
import type { ClusterAccess } from '../clusters/open'
import { makeTracker } from './track'

let server: TestApp
let cluster: string
let boss: { id: string; token: string }
beforeAll(async () => {
  server = await testApp()
  boss = await server.person('boss', ['admin', 'user'])
  const body = { cluster: { name: 'Torque', data: { manager: 'torque', transport: 'local' } } }
  const made = await server.call('POST', '/api/clusters/local', { as: boss.token, body })
  cluster = (made.json as { id: string }).id
})
afterAll(() => server.close())

const submitted = async (nativeId: string | null): Promise<string> => {
  const body = { job: { name: 'parent', data: { script: 'true' } } }
  const { json } = await server.call('POST', '/api/jobs/', { as: boss.token, body })
  const job = json as { id: string; data: object }
  const id = `sub${job.id}`
  await server.db.kysely
    .insertInto('submissions')
    .values({
      id,
      job_id: job.id,
      job_name: 'parent',
      cluster_id: cluster,
      cluster_name: 'Torque',
      user_id: boss.id,
      submitted_by: 'boss',
      run_as_admin: false,
      account: 'boss',
      native_id: nativeId,
      state: nativeId === null ? 'submitting' : 'running',
      submitted_at: new Date(),
      data: JSON.stringify(job.data),
      folder: `flotilla/${id}`,
    })
    .execute()
  return id
}
const inQueue = (id: string, mark: string, state: 'running' | 'completed'): QueuedJob => ({
  id,
  mark,
  state,
  tasks: 1,
  name: 'job',
  user: 'anyone',
  nativeState: '',
  nativeReason: '',
  reason: '',
  nodes: 1,
  cores: 1,
  gpus: 0,
  partition: '',
  nodeList: '',
  ...(state === 'completed' && { ending: 'failed', exitCode: 9 }),
})
const stateOf = async (id: string) =>
  (await server.call('GET', `/api/jobs/submissions/${id}`, { as: boss.token })).json

it('knows a job by its number, whatever mark others carry', async () => {
  const tracker = makeTracker(server.db, {} as ClusterAccess, Date.now)
  const id = await submitted('7.head')
  const queue = [inQueue('7.head', id, 'running'), inQueue('8.head', id, 'completed')]
  const links = await tracker.onQueue(cluster, queue.toReversed())
  expect(await stateOf(id)).toMatchObject({ state: 'running', nativeId: '7.head' })
  expect([...links.keys()]).toEqual(['7.head'])
  expect(links.get('7.head')?.submissionId).toBe(id)
})

it('finds one whose number is unknown by its mark, and not what it has submitted itself', async () => {
  const tracker = makeTracker(server.db, {} as ClusterAccess, Date.now)
  const id = await submitted(null)
  await tracker.onQueue(cluster, [inQueue('17.head', id, 'running'), inQueue('18.head', id, 'completed')])
  expect(await stateOf(id)).toMatchObject({ state: 'running', nativeId: '17.head' })
})
