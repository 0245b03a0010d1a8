import path from 'node:path'
import type { JobRequest, Query, QueuedJob } from '../../../src/schedulers/scheduler'
import { slurm } from '../../../src/schedulers/slurm'
import { makeExecute } from '../exec'
import type { TestSlurm } from './slurm'
import { until } from '../until'

/** Submits jobs to a Slurm that is started later and queries them; `defaults` apply to every job. */
export function slurmJobs(cluster: () => TestSlurm, defaults: Partial<JobRequest> = {}) {
  let made = 0
  const execute = <T>(query: Query<T>): Promise<T> => makeExecute(cluster().env)(query)
  const nextMark = () => `mark-${++made}`
  const request = (job: Partial<JobRequest> = {}): JobRequest => ({
    name: 'test',
    nodes: 1,
    cores: 1,
    gpus: 0,
    walltime: '00:10:00',
    script: 'true',
    workdir: cluster().workdir,
    stdoutPath: path.join(cluster().workdir, `out-${made}.txt`),
    ...defaults,
    ...job,
  })
  const submit = (job: Partial<JobRequest> = {}, mark = nextMark()) =>
    execute(slurm.submit(request(job), mark))
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
  const untilState = (id: string, wanted: QueuedJob['state']) => untilJob(id, ({ state }) => state === wanted)
  return { execute, nextMark, request, submit, detail, untilJob, untilState }
}
