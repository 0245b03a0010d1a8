import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeExecute, exec } from '../../test/support/exec'
import { installTorque, type ReplayedTorque } from '../../test/support/schedulers/torque/install'
import { countNodes, countQueue } from './counts'
import type { SchedulerErrorCode } from './error'
import { placed, withNodeStates } from './placement'
import type { JobRequest, Query, QueuedJob } from './scheduler'
import { torque } from './torque'

let folder: string
let cluster: ReplayedTorque
let execute: <T>(query: Query<T>) => Promise<T>
let executeAsRoot: typeof execute

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-torque-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let made = 0
beforeEach(async () => {
  // Each test has its own Torque, because the recorded one is small.
  const own = path.join(folder, String(++made))
  cluster = await installTorque(own)
  execute = makeExecute({ PATH: cluster.bin })
  executeAsRoot = makeExecute({ PATH: (await installTorque(own, 'root')).bin })
})

const request = (job: Partial<JobRequest>): JobRequest => ({
  name: 'test',
  nodes: 1,
  cores: 2,
  gpus: 0,
  walltime: '01:00:00',
  script: 'hostname',
  workdir: '/home/alice',
  stdoutPath: '/home/alice/out.txt',
  ...job,
})
const submit = (job: Partial<JobRequest>, mark = 'mark') => execute(torque.submit(request(job), mark))
const seen = async (id: string): Promise<QueuedJob> => {
  const [job] = await execute(torque.jobDetail(id))
  if (!job) throw new Error('no rows')
  return job
}

test('a job waits, runs and succeeds', async () => {
  const id = await submit({ name: 'Grüsse 1' })
  expect(id).toBe('18.head')
  const waiting = await seen(id)
  expect(waiting).toMatchObject({
    id,
    name: 'Grusse_1',
    user: 'alice',
    state: 'queued',
    nodes: 1,
    cores: 2,
    gpus: 0,
  })
  expect(waiting).toMatchObject({
    reason: 'Waiting for free cores: other jobs are running',
    timeLimitS: 3600,
    nodeList: '',
  })
  expect(await seen(id)).toMatchObject({
    state: 'running',
    nodeList: 'tn01',
    reason: '',
    mark: 'mark',
    workdir: '/home/alice',
  })
  const ended = await seen(id)
  expect(ended).toMatchObject({
    state: 'completed',
    ending: 'succeeded',
    exitCode: 0,
    used: { wallS: 1, memoryMb: 7 },
  })
  expect(Math.abs((ended.endTime ?? 0) - Date.now())).toBeLessThan(60_000)
})

test('a job on several nodes is shown with its nodes and can be canceled while it runs', async () => {
  const id = await submit({ nodes: 2, walltime: '0-00:10:00' })
  expect(await seen(id)).toMatchObject({
    state: 'running',
    nodes: 2,
    cores: 2,
    nodeList: 'tn02,tn01',
    timeLimitS: 600,
  })
  const nodes = placed(await execute(torque.nodes()), await execute(torque.queue()))
  expect(nodes).toMatchObject([
    { name: 'tn01', state: 'available', cores: 4, coresUsed: 2, jobs: [id], memoryMb: 24066, gpus: 2 },
    { name: 'tn02', state: 'available', cores: 4, coresUsed: 2, jobs: [id], load: 2.83, gpus: 0 },
  ])
  await submit({ nodes: 2 })
  expect(await execute(torque.nodes()), 'no core is left').toMatchObject([
    { state: 'busy' },
    { state: 'busy' },
  ])
  await execute(torque.cancel(id))
  expect(await seen(id)).toMatchObject({ ending: 'canceled', reason: 'Canceled', exitCode: 143 })
})

test('GPUs are requested, shown with the job and counted on the node', async () => {
  const id = await submit({ cores: 1, gpus: 1 })
  expect(await seen(id)).toMatchObject({ gpus: 1, state: 'running', nodeList: 'tn01' })
  const [node] = placed(await execute(torque.nodes()), await execute(torque.queue()))
  expect(node).toMatchObject({ name: 'tn01', gpus: 2, gpusUsed: 1 })
})

test('the tasks of an array are counted individually', async () => {
  const id = await submit({ cores: 1, array: '1-3', name: 'arr' })
  expect(id).toBe('18[].head')
  const queue = await execute(torque.queue())
  expect(countQueue(queue)).toEqual({ blocked: 0, completed: 0, queued: 0, running: 3, total: 3 })
  expect(queue.map((job) => [job.id, job.arrayId, job.arrayTask, job.name])).toEqual(
    ['1', '2', '3'].map((task) => [`18[${task}].head`, id, task, 'arr']),
  )
  await execute(torque.cancel(id))
  const [past] = torque.history([id])
  expect(past && (await execute(past))).toMatchObject([
    { ending: 'canceled' },
    { ending: 'canceled' },
    { ending: 'canceled' },
  ])
})

test('a waiting job has a reason and can be canceled before it runs', async () => {
  const id = await submit({ nodes: 2, cores: 4 })
  expect(await seen(id)).toMatchObject({
    state: 'queued',
    reason: 'Waiting for free cores: other jobs are running',
  })
  await execute(torque.cancel(id))
  const ended = await seen(id)
  expect(ended).toMatchObject({ ending: 'canceled', reason: 'Canceled before it started' })
  expect(ended.startTime).toBeUndefined()
})

test('a job is stopped when its wall time is over', async () => {
  const id = await submit({ nodes: 2, walltime: '00:00:30' })
  await seen(id)
  expect(await seen(id)).toMatchObject({
    ending: 'timed_out',
    reason: 'Stopped because it exceeded its wall time',
  })
})

test('an exit code is reported while Torque remembers the job and afterward', async () => {
  const id = await submit({ cores: 1 })
  await seen(id)
  const end = { id, exitCode: 3, ending: 'failed', reason: 'Ended with exit code 3', state: 'completed' }
  expect(await seen(id)).toMatchObject(end)
  const [qstat, trace] = torque.history([id])
  expect(qstat && (await execute(qstat))).toMatchObject([end])
  expect(trace && (await execute(trace))).toMatchObject([
    { ...end, user: 'alice', nodeList: 'tn02', startTime: 1794712112000 },
  ])
  const [known] = torque.history([id, '999.head'])
  expect(known && (await execute(known)), 'a forgotten job does not hide others').toMatchObject([end])
})

test('a held job runs after it is released', async () => {
  const id = await submit({ nodes: 2 })
  await execute(torque.hold(id))
  expect(await seen(id)).toMatchObject({
    state: 'blocked',
    reason: 'Held by its owner. Release it to let it start.',
  })
  await execute(torque.release(id))
  expect(await seen(id)).toMatchObject({ state: 'running' })
})

test('a submission whose reply was lost is found by its mark', async () => {
  const find = async (mark: string) => {
    const [first] = torque.findByMark(mark)
    return first && execute(first)
  }
  expect(await find('lost')).toBeUndefined()
  const { argv, stdin } = torque.submit(request({ cores: 1, array: '1-3' }), 'lost')
  await exec(argv, { env: { PATH: cluster.bin }, stdin })
  expect(await find('lost')).toBe('18[].head')
  expect(await find('los')).toBeUndefined()
  const [asRoot] = torque.findByMark('lost')
  expect(asRoot && (await executeAsRoot(asRoot)), 'it belongs to another account').toBeUndefined()
})

test('a submission missing from a partial queue is searched for again', async () => {
  const id = await submit({}, 'late')
  const [first, second, ...more] = torque.findByMark('late')
  expect(more).toEqual([])
  expect(first?.parse({ code: 0, stdout: 'alice\n<Data></Data>', stderr: '' })).toBeUndefined()
  // Accounts that do not manage the server see the owner of a job, but not the account it runs as.
  const found = (account: string, owner: string) => {
    const job = `<Job><Job_Id>9.head</Job_Id><Job_Owner>${owner}@head</Job_Owner><Variable_List>FLOTILLA_MARK=late</Variable_List></Job>`
    return first?.parse({ code: 0, stdout: `${account}\n<Data>${job}</Data>`, stderr: '' })
  }
  for (const owner of ['alice@example.org', 'Alice@example.org', 'alice'])
    expect(found('alice@example.org', owner), owner).toBe('9.head')
  expect(found('alice@example.org', 'alice@example.com')).toBeUndefined()
  // Besides Torque's commands, the pause needs sleep.
  const executeWithSleep = makeExecute({ PATH: `${cluster.bin}:${process.env.PATH}` })
  expect(second && (await executeWithSleep(second))).toBe(id)
})

test('without working nodes, a job waits for nodes and not for other jobs', async () => {
  const id = await submit({ nodes: 2, cores: 4 })
  for (const name of ['tn01', 'tn02']) cluster.setNode(name, 'down')
  const jobs = withNodeStates(await execute(torque.queue()), await execute(torque.nodes()))
  expect(jobs).toMatchObject([{ id, reason: 'Waiting for nodes: all of them are down or offline' }])
})

test('a drained node is offline and a failed one is down', async () => {
  await expect(
    execute(torque.drain('tn02', 'maint')),
    'although the command exits with 0',
  ).rejects.toMatchObject({
    code: 'not_permitted',
    message: expect.stringContaining('qmgr -c "set server operators += account@host"'),
  })
  await executeAsRoot(torque.drain('tn02', 'bad "disk" <1>'))
  expect(await execute(torque.nodeDetail('tn02'))).toMatchObject({
    state: 'offline',
    reason: 'bad "disk" <1>',
  })
  cluster.setNode('tn01', 'down')
  expect(countNodes(await execute(torque.nodes()))).toEqual({
    available: 0,
    busy: 0,
    down: 1,
    offline: 1,
    total: 2,
    unknown: 0,
  })
  await executeAsRoot(torque.resume('tn02'))
  cluster.setNode('tn01', 'up')
  expect(countNodes(await execute(torque.nodes()))).toMatchObject({ available: 2 })
})

test('invalid requests fail with an error code', async () => {
  const refused = (query: Query<unknown>, code: SchedulerErrorCode, as = execute) =>
    expect(as(query)).rejects.toMatchObject({ code })
  await refused(torque.submit(request({ partition: 'nope' }), 'm'), 'bad_queue')
  await refused(torque.submit(request({ nodes: 99 }), 'm'), 'infeasible')
  await refused(torque.submit(request({}), 'm'), 'not_permitted', executeAsRoot)
  await refused(torque.cancel('999.head'), 'unknown_job')
  await refused(torque.hold('999.head'), 'unknown_job')
  await refused(torque.jobDetail('999.head'), 'unknown_job')
  for (const id of ['all', '-p 1', '']) expect(() => torque.cancel(id)).toThrow('Not a Torque job id')
  await refused(torque.queue(), 'not_installed', makeExecute({ PATH: '/nonexistent' }))
})

test('the replay rejects commands that were not recorded', async () => {
  const run = (...argv: string[]) => exec(argv, { env: { PATH: cluster.bin } })
  for (const argv of [['qstat'], ['qstat', '-f'], ['qdel', 'all'], ['pbsnodes', '-a'], ['qsub', '-I']])
    expect(await run(...argv)).toMatchObject({ code: 2, stderr: expect.stringContaining('not recorded') })
  await expect(submit({ cores: 3 })).rejects.toThrow('not recorded')
})

test('an account that cannot see other users’ jobs gets instructions to change that', async () => {
  const hidden = (as = execute) => torque.hiddenJobs && as(torque.hiddenJobs())
  expect(await hidden()).toContain('qmgr -c "set server query_other_jobs = True"')
  expect(await hidden(executeAsRoot), 'an operator sees all').toBeNull()
  cluster.setSite({ queryOtherJobs: true })
  expect(await hidden()).toBeNull()
})
