import { onTestFinished, expect, test } from 'vitest'
import { makeExecute } from '../../test/support/exec'
import { startSlurm } from '../../test/support/schedulers/slurm'
import { slurmJobs } from '../../test/support/schedulers/slurm-jobs'
import { slurm } from './slurm'

/* Only root can act as another user. */

test('another user can see a job but cannot change it', async () => {
  const cluster = await startSlurm({ nodes: 1 })
  onTestFinished(() => cluster.stop())
  const { execute: owner, submit } = slurmJobs(() => cluster)
  const stranger = makeExecute(cluster.env, 65_534)
  const id = await submit({ name: 'mine', script: 'sleep 100' })
  const seen = await stranger(slurm.queue())
  expect(seen).toMatchObject([{ id, name: 'mine' }])
  for (const query of [
    slurm.cancel(id),
    slurm.hold(id),
    slurm.release(id),
    slurm.drain('n1', 'x'),
    slurm.resume('n1'),
  ])
    await expect(stranger(query), query.argv.join(' ')).rejects.toMatchObject({ code: 'not_permitted' })
  await owner(slurm.cancel(id))
})
