import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { account, usages } from '@flotilla/contract/site/usage'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Console } from '../../../test/support/console/console'
import { exec } from '../../../test/support/exec'
import { startSlurm, type TestSlurm } from '../../../test/support/schedulers/slurm'
import { until } from '../../../test/support/until'

const log = path.join(os.tmpdir(), `flotilla-test-jobcomp-${randomUUID()}.log`)
let slurm: TestSlurm
let server: Console
beforeAll(async () => {
  // The queue forgets jobs quickly, so everything must come from the log.
  const conf = `MinJobAge=5\nJobCompType=jobcomp/filetxt\nJobCompLoc=${log}`
  slurm = await startSlurm({ nodes: 2, cpus: 4, gpus: 1, conf })
})
afterAll(async () => {
  await server?.stop()
  await slurm.stop()
  await rm(log, { force: true })
})

const run = async (...argv: string[]): Promise<string> => {
  const { code, stdout, stderr } = await exec(argv, { env: slurm.env })
  if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`)
  return stdout.trim()
}
const sbatch = (script: string, ...options: string[]) =>
  run('sbatch', '--parsable', '--output=/dev/null', ...options, `--wrap=${script}`)
const isEmpty = async () => (await run('squeue', '-h', '--states=all')) === ''

/** The job as Slurm shows it after it has ended, while Slurm remembers it. */
const shown = async (id: string) => {
  let output = ''
  await until(async () =>
    /JobState=(COMPLETED|FAILED|CANCELLED)/.test((output = await run('scontrol', '-o', 'show', 'job', id))),
  )
  const value = (key: string) => new RegExp(` ${key}=(\\S+)`).exec(output)?.[1] ?? ''
  return {
    start: Date.parse(value('StartTime')),
    end: Date.parse(value('EndTime')),
    cores: Number(value('NumCPUs')),
    nodes: Number(value('NumNodes')),
    gpus: Number(/gres\/gpu=(\d+)/.exec(output)?.[1] ?? 0),
  }
}

it('usage is read from the job completion log of a Slurm without an accounting database', async () => {
  const jobs = [
    await sbatch('sleep 2', '--nodes=2', '--ntasks=3', '--job-name=two nodes'),
    await sbatch('sleep 1', '--gpus-per-node=1', '--nodes=2'),
    await sbatch('exit 3'),
  ]
  const array = await sbatch('sleep 1', '--array=1-2')
  const waiting = await sbatch('true', '--begin=now+1hour')
  await run('scancel', waiting)
  const truth = new Map(await Promise.all(jobs.map(async (id) => [id, await shown(id)] as const)))
  await until(isEmpty)

  server = await Console.start({ env: { HOME: slurm.workdir } })
  const settings = { manager: 'slurm', transport: 'local', slurmConf: slurm.env.SLURM_CONF } as const
  const cluster = await server.deployed('Slurm', settings)
  const range = () => ({ startMs: '1', endMs: String(Date.now() + 3_600_000) })
  const as = () => ({ token: server.admin })
  const details = (userAccount: string) => server.must(account.details, { userAccount, ...range() }, as())
  const gaps = async () => (await server.must(usages.summary, { ...range(), query: { cluster } }, as())).gaps

  const user = os.userInfo().username
  await until(async () => (await details(user)).length === 5)
  const found = await details(user)
  for (const [id, { start, end, cores, nodes, gpus }] of truth) {
    const record = found.find(({ nativeId }) => nativeId === id)
    expect(record, id).toMatchObject({ startedAt: start, endedAt: end, cores, nodes, gpus, estimated: false })
    expect(Math.round((record?.coreHours ?? 0) * 3600)).toBe(((end - start) / 1000) * cores)
  }
  expect(found.map(({ nativeId }) => nativeId).toSorted()).toEqual(
    [...jobs, `${array}_1`, `${array}_2`].toSorted(),
  )
  expect(found.find(({ nativeId }) => nativeId === jobs[0])?.job).toBe('two nodes')
  expect(await gaps()).toEqual([])

  // While the console is down, a user forges a record of another user's job.
  await server.kill()
  const id = await sbatch(
    'true',
    '--job-name',
    `x\nJobId=${jobs[0]} UserId=victim(1) GroupId=victim(1) Name=y`,
  )
  await shown(id)
  await sbatch('sleep 1')
  await until(isEmpty)
  await server.run()
  await until(async () => (await details(user)).length === 6)
  expect(await details('victim')).toEqual([])
  expect(await gaps()).toMatchObject([
    { clusterId: cluster, reason: expect.stringContaining('could not be read') },
  ])
})
