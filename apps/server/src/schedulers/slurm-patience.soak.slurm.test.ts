import path from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { makeExecute } from '../../test/support/exec'
import { startSlurm, type TestSlurm } from '../../test/support/slurm'
import { until } from '../../test/support/until'
import type { JobRequest, Query, QueuedJob } from './scheduler'
import { slurm } from './slurm'

/* What Slurm takes a minute to notice, side by side. Each job fills a node, so they do not meet. */

let cluster: TestSlurm
let execute: <T>(query: Query<T>) => Promise<T>

beforeAll(async () => {
  cluster = await startSlurm({ nodes: 2, cpus: 2 })
  execute = makeExecute(cluster.env)
})
afterAll(() => cluster?.stop())

const request = (job: Partial<JobRequest>): JobRequest => ({
  name: 'test',
  nodes: 1,
  cores: 2,
  gpus: 0,
  walltime: '00:10:00',
  script: 'sleep 1000',
  workdir: cluster.workdir,
  stdoutPath: path.join(cluster.workdir, 'out.txt'),
  ...job,
})

const detail = async (id: string): Promise<QueuedJob> => {
  const [job] = await execute(slurm.jobDetail(id))
  if (!job) throw new Error('no rows')
  return job
}
const untilJob = (id: string, is: (job: QueuedJob) => boolean) =>
  until(async () => {
    const job = await detail(id)
    return is(job) ? job : undefined
  })

describe.concurrent('noticed in time', { timeout: 240_000 }, () => {
  test('a job is stopped when its wall time is over', async ({ expect }) => {
    const id = await execute(slurm.submit(request({ walltime: '00:00:01' }), 'wall'))
    const ended = await untilJob(id, ({ state }) => state === 'completed')
    expect(ended).toMatchObject({
      ending: 'timed_out',
      reason: 'Stopped because it exceeded its wall time',
      timeLimitS: 60,
    })
  })

  test('a node that dies under a job is seen, and comes back', async ({ expect }) => {
    const id = await execute(slurm.submit(request({}), 'death'))
    const { nodeList: name } = await untilJob(id, ({ state }) => state === 'running')
    await cluster.killNode(name)
    const node = () => execute(slurm.nodeDetail(name))
    await until(async () => (await node()).state === 'down')
    await until(async () => (await node()).reason === 'Not responding')
    // Slurm puts the job back into the queue, which is the site's choice; it may run on the other node by now.
    const again = await untilJob(id, ({ nodeList }) => nodeList !== name)
    expect(again.state).not.toBe('completed')
    expect(again.ending).toBeUndefined()
    await execute(slurm.cancel(id))
    await cluster.startNode(name)
    await until(async () => (await node()).state === 'available')
  })
})
