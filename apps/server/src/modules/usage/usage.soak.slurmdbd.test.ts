import { account, usages } from '@flotilla/contract/site/usage'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Console } from '../../../test/support/console/console'
import { exec } from '../../../test/support/exec'
import { startSlurm, type TestSlurm } from '../../../test/support/schedulers/slurm'
import { until } from '../../../test/support/until'

let slurm: TestSlurm
let server: Console
let cluster: string
beforeAll(async () => {
  // The queue forgets jobs at once, so everything must come from the records.
  slurm = await startSlurm({ nodes: 2, cpus: 4, gpus: 1, accounting: true, conf: 'MinJobAge=2' })
})
afterAll(async () => {
  await server?.stop()
  await slurm.stop()
})

const run = async (...argv: string[]): Promise<string> => {
  const { code, stdout, stderr } = await exec(argv, { env: slurm.env })
  if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`)
  return stdout.trim()
}
const sbatch = (script: string, ...options: string[]) =>
  run('sbatch', '--parsable', '--output=/dev/null', ...options, `--wrap=${script}`)
const isEmpty = async () => (await run('squeue', '-h', '--states=all')) === ''

/** Every run of every job that got nodes, as reported by Slurm. */
const recorded = async () => {
  const fields = 'JobID,Start,End,ElapsedRaw,CPUTimeRAW,AllocCPUS,NNodes,AllocTRES,NodeList'
  const sacct = ['sacct', '-n', '-P', '-X', '-D', '-a', '--starttime=now-1hour', `--format=${fields}`]
  return (await run('env', 'SLURM_TIME_FORMAT=%s', ...sacct))
    .split('\n')
    .map((line) => line.split('|'))
    .filter(([, , , , , , , , nodes]) => nodes !== 'None assigned')
    .map(([id, start, end, elapsed, cpu, cores, nodes, tres]) => ({
      id,
      start: Number(start) * 1000,
      end: Number(end) * 1000,
      elapsed: Number(elapsed),
      cpu: Number(cpu),
      cores: Number(cores),
      nodes: Number(nodes),
      gpus: Number(/gres\/gpu=(\d+)/.exec(tres ?? '')?.[1] ?? 0),
    }))
}

const range = () => ({ startMs: '1', endMs: String(Date.now() + 3_600_000) })
const as = () => ({ token: server.admin })
const details = (userAccount: string) => server.must(account.details, { userAccount, ...range() }, as())
const everyJob = async () => [...(await details('root')), ...(await details('admin'))]

it('agrees with sacct to the second, for all submitters and for jobs that the console missed', async () => {
  await sbatch('sleep 2', '--nodes=2', '--ntasks=3')
  await sbatch('sleep 1', '--gpus-per-node=1', '--nodes=2')
  await sbatch('sleep 1', '--array=1-3')
  await sbatch('exit 3')
  const canceled = await sbatch('sleep 1000')
  await until(async () => (await run('squeue', '-h', '-j', canceled, '-o', '%T')) === 'RUNNING')
  await run('scancel', canceled)
  await until(isEmpty)

  // Jobs that ran before the cluster was added are in its records too.
  server = await Console.start({ env: { HOME: slurm.workdir } })
  cluster = await server.deployed('Slurm', {
    manager: 'slurm',
    transport: 'local',
    slurmConf: slurm.env.SLURM_CONF,
  })
  await until(async () => (await details('root')).length === 7)

  const { id } = await server.submit(cluster, { name: 'ours', script: 'sleep 3', cores: 2 }, server.admin, {
    runAsAdmin: true,
  })
  await sbatch('sleep 3', '--ntasks=1')
  await until(async () => (await everyJob()).filter(({ state }) => state === 'running').length === 2)
  // Both jobs end while the console is down, and the queue forgets them.
  await server.kill()
  await until(isEmpty)
  await server.run()
  const truth = await recorded()
  expect(truth).toHaveLength(9)
  await until(async () =>
    (await everyJob()).every(({ endedAt, estimated }) => endedAt !== null && !estimated),
  )

  const found = await everyJob()
  expect(found).toHaveLength(9)
  for (const { id: nativeId, start, end, elapsed, cpu, cores, nodes, gpus } of truth) {
    const record = found.find((one) => one.nativeId === nativeId)
    expect(record, nativeId).toMatchObject({ startedAt: start, endedAt: end, cores, nodes, gpus })
    expect(Math.round((record?.coreHours ?? 0) * 3600)).toBe(cpu)
    expect(Math.round((record?.gpuHours ?? 0) * 3600)).toBe(elapsed * gpus)
  }
  expect(found.find(({ submissionId }) => submissionId === id)).toMatchObject({ job: 'ours', cores: 2 })

  const sum = (values: number[]) => values.reduce((all, one) => all + one, 0)
  const [first] = (await server.must(usages.list, range(), as())).filter((one) => one.clusterId === cluster)
  expect(first?.jobs).toBe(9)
  expect(Math.round((first?.coreHours ?? 0) * 3600)).toBe(sum(truth.map(({ cpu }) => cpu)))
  // The records close the gap.
  const { gaps } = await server.must(usages.summary, { ...range(), query: { cluster } }, as())
  expect(gaps).toEqual([])
  // A range that covers half of a job counts half of it.
  const long = truth.find(({ cores, elapsed }) => cores === 3 && elapsed >= 2)
  const half = { startMs: String((long?.start ?? 0) + 1000), endMs: String(long?.end) }
  const cut = await server.must(account.details, { userAccount: 'root', ...half }, as())
  const record = cut.find(({ nativeId }) => nativeId === long?.id)
  expect(Math.round((record?.coreHours ?? 0) * 3600)).toBe(((long?.elapsed ?? 0) - 1) * 3)
})
