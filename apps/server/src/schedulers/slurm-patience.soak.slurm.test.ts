import { afterAll, beforeAll, describe, test } from 'vitest'
import { startSlurm, type TestSlurm } from '../../test/support/schedulers/slurm'
import { slurmJobs } from '../../test/support/schedulers/slurm-jobs'
import { until } from '../../test/support/until'
import { slurm } from './slurm'

/* Slurm takes a minute to notice these events, so the tests run concurrently. Each job fills a whole node. */

let cluster: TestSlurm
beforeAll(async () => {
  cluster = await startSlurm({ nodes: 2, cpus: 2 })
})
afterAll(() => cluster?.stop())

const { execute, submit, untilJob } = slurmJobs(() => cluster, { cores: 2, script: 'sleep 1000' })

describe.concurrent('slow events', { timeout: 240_000 }, () => {
  test('a job is stopped when its wall time is over', async ({ expect }) => {
    const id = await submit({ walltime: '00:00:01' }, 'wall')
    const ended = await untilJob(id, ({ state }) => state === 'completed')
    expect(ended).toMatchObject({
      ending: 'timed_out',
      reason: 'Stopped because it exceeded its wall time',
      timeLimitS: 60,
    })
  })

  test('a node that fails while it runs a job is shown as down until it is back', async ({ expect }) => {
    const id = await submit({}, 'death')
    const { nodeList: name } = await untilJob(id, ({ state }) => state === 'running')
    await cluster.killNode(name)
    const node = () => execute(slurm.nodeDetail(name))
    await until(async () => (await node()).state === 'down')
    await until(async () => (await node()).reason === 'Not responding')
    // Slurm requeues the job, as configured for this site; it may already run on the other node.
    const again = await untilJob(id, ({ nodeList }) => nodeList !== name)
    expect(again.state).not.toBe('completed')
    expect(again.ending).toBeUndefined()
    await execute(slurm.cancel(id))
    await cluster.startNode(name)
    await until(async () => (await node()).state === 'available')
  })
})
