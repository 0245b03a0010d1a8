import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exec } from '../../test/support/exec'
import { startSlurm, type TestSlurm } from '../../test/support/schedulers/slurm'
import { slurmJobs } from '../../test/support/schedulers/slurm-jobs'
import { until } from '../../test/support/until'
import { countNodes, countQueue } from './counts'
import type { SchedulerErrorCode } from './error'
import { expandNodes } from './node-list'
import { outputPath } from './request'
import type { Query } from './scheduler'
import { slurm } from './slurm'
import { soakIt } from '../../test/support/soak'

let cluster: TestSlurm
beforeAll(async () => {
  cluster = await startSlurm({ nodes: 3, cpus: 4, gpus: 2 })
})
afterAll(() => cluster?.stop())

const { execute, nextMark, request, submit, detail, untilState } = slurmJobs(() => cluster)
const node = (name: string) => execute(slurm.nodeDetail(name))
/** The answer of the first query, which suffices here. */
const answerOf = async <T>([query]: Query<T>[]) => query && execute(query)
/** Submits directly with sbatch, as other users of the cluster do. */
const sbatch = async (args: string[] = [], stdin = '') =>
  (await exec(['sbatch', '--parsable', ...args], { env: cluster.env, stdin })).stdout.trim()
const outputOf = ({ stdoutPath }: { stdoutPath: string }) => readFile(stdoutPath, 'utf8')

test('the time limit of a job can be extended', async () => {
  const id = await submit({ script: 'sleep 100' })
  await execute(slurm.extend(id, 25 * 60))
  expect((await detail(id)).timeLimitS).toBe(25 * 60)
  await execute(slurm.cancel(id))
})

test('a submit that never receives its script submits nothing', async () => {
  const mark = nextMark()
  const { stdin: _script, ...query } = slurm.submit(request({}), mark)
  expect(query.waitsForInput).toBe(true)
  await expect(execute(query)).rejects.toThrow('does not accept this script')
  expect(await answerOf(slurm.findByMark(mark))).toBeUndefined()
})

test('a job runs in its folder, and its output and times are reported', async () => {
  const stdoutPath = path.join(cluster.workdir, 'a "quoted" 100% path.txt')
  const job = { script: 'pwd\necho "$SLURM_JOB_NAME"; echo oops >&2', name: 'Grüße "x" | y', stdoutPath }
  const id = await submit(job)
  expect(id).toMatch(/^\d+$/)
  const ended = await untilState(id, 'completed')
  expect(ended).toMatchObject({
    ending: 'succeeded',
    exitCode: 0,
    reason: '',
    nodes: 1,
    cores: 1,
    gpus: 0,
    tasks: 1,
  })
  expect(ended).toMatchObject({
    name: job.name,
    timeLimitS: 600,
    workdir: cluster.workdir,
    partition: 'batch',
  })
  expect(Math.abs((ended.endTime ?? 0) - Date.now())).toBeLessThan(60_000)
  expect(ended.startTime).toBeGreaterThanOrEqual(ended.submitTime ?? Infinity)
  expect(await outputOf(job)).toBe(`${cluster.workdir}\n${job.name}\noops\n`)
})

test('a job runs on several nodes with the requested cores on each', async () => {
  const job = {
    nodes: 2,
    cores: 3,
    script: 'srun -l hostname | wc -l; echo $SLURM_JOB_NUM_NODES',
    stdoutPath: path.join(cluster.workdir, 'multi'),
  }
  const id = await submit(job)
  const ended = await untilState(id, 'completed')
  expect(ended).toMatchObject({ nodes: 2, cores: 3, ending: 'succeeded' })
  expect(expandNodes(ended.nodeList)).toHaveLength(2)
  expect(await outputOf(job)).toBe('6\n2\n')
})

test('GPUs are requested, shown with the job and counted on the node', async () => {
  const job = { nodes: 2, gpus: 2, script: 'echo $SLURM_GPUS_ON_NODE; sleep 100' }
  const id = await submit(job)
  const running = await untilState(id, 'running')
  expect(running).toMatchObject({ gpus: 2, nodes: 2, state: 'running' })
  const names = expandNodes(running.nodeList)
  const nodes = await execute(slurm.nodes())
  for (const each of nodes)
    expect(each).toMatchObject({
      gpus: 2,
      gpusUsed: names.includes(each.name) ? 2 : 0,
      cores: 4,
      memoryMb: 4000,
    })
  await execute(slurm.cancel(id))
  expect(await untilState(id, 'completed')).toMatchObject({ ending: 'canceled', reason: 'Canceled' })
})

test('the tasks of an array are counted individually and write to their own files', async () => {
  const job = {
    array: '1-9:2%2',
    script: 'echo task $SLURM_ARRAY_TASK_ID; exit $SLURM_ARRAY_TASK_ID',
    stdoutPath: path.join(cluster.workdir, 'array'),
  }
  const mark = nextMark()
  const id = await submit(job, mark)
  const seen = await execute(slurm.jobDetail(id))
  expect(countQueue(seen).total).toBe(5)
  const ends = await until(async () => {
    const rows = await execute(slurm.jobDetail(id))
    expect(rows.every((row) => row.arrayId === id && row.mark === mark)).toBe(true)
    return countQueue(rows).completed === 5 ? rows : undefined
  })
  const codes = Object.fromEntries(ends.map((row) => [row.arrayTask, row.exitCode]))
  expect(codes).toEqual({ 1: 1, 3: 3, 5: 5, 7: 7, 9: 9 })
  expect(await readFile(outputPath(job.stdoutPath, '7'), 'utf8')).toBe('task 7\n')
  expect(await answerOf(slurm.history([id]))).toHaveLength(5)
})

test('a long list of waiting tasks is not truncated, and one of them can be canceled', async () => {
  const array = Array.from({ length: 150 }, (_, index) => index * 3 + (index % 2)).join()
  const id = await submit({ array, script: 'sleep 100', nodes: 3, cores: 4 })
  const counts = async () => countQueue(await execute(slurm.jobDetail(id)))
  expect((await counts()).total).toBe(150)
  // A task that never began leaves no trace in Slurm.
  await execute(slurm.cancel(`${id}_4`))
  expect((await counts()).total).toBe(149)
  await execute(slurm.cancel(id))
  await until(async () => (await counts()).completed === 149)
})

test('a waiting job has a reason', async () => {
  const first = await submit({ nodes: 3, cores: 4, script: 'sleep 100' })
  await untilState(first, 'running')
  const second = await submit({ nodes: 3, cores: 4 })
  const third = await submit({ nodes: 3, cores: 4 })
  const hasReason = (id: string, reason: string) =>
    until(async () => (await detail(id)).reason.startsWith(reason))
  await hasReason(second, 'Waiting for free cores')
  await hasReason(third, 'Waiting for higher-priority jobs')
  expect(await detail(second)).toMatchObject({ state: 'queued', nativeReason: 'Resources', nodeList: '' })
  expect((await detail(second)).startTime).toBeUndefined()
  await Promise.all([first, second, third].map((id) => execute(slurm.cancel(id))))
  await untilState(first, 'completed')
})

test('exit codes and signals are reported as a shell does', async () => {
  const three = await submit({ script: 'exit 3' })
  const killed = await submit({ script: 'kill -9 $$' })
  expect(await untilState(three, 'completed')).toMatchObject({
    ending: 'failed',
    exitCode: 3,
    reason: 'Ended with exit code 3',
  })
  expect(await untilState(killed, 'completed')).toMatchObject({
    ending: 'failed',
    exitCode: 137,
    reason: 'Ended by signal 9',
  })
  const ends = (await answerOf(slurm.history([three, killed, '999999']))) ?? []
  expect(Object.fromEntries(ends.map(({ id, exitCode }) => [id, exitCode]))).toEqual({
    [three]: 3,
    [killed]: 137,
  })
  expect(await answerOf(slurm.history(['999999']))).toEqual([])
})

test('a held job runs after it is released', async () => {
  const blocker = await submit({ nodes: 3, cores: 4, script: 'sleep 100' })
  await untilState(blocker, 'running')
  const id = await submit({})
  await execute(slurm.hold(id))
  expect(await detail(id)).toMatchObject({
    state: 'blocked',
    reason: 'Held by an administrator, who has to release it',
  })
  await execute(slurm.cancel(blocker))
  await execute(slurm.release(id))
  expect(await untilState(id, 'completed')).toMatchObject({ ending: 'succeeded' })
})

test('a submission whose reply was lost is found by its mark', async () => {
  const mark = nextMark()
  const find = () => answerOf(slurm.findByMark(mark))
  expect(await find()).toBeUndefined()
  const { argv, stdin } = slurm.submit(request({ name: '\n~', script: 'sleep 1' }), mark)
  await exec(argv, { env: cluster.env, stdin })
  const id = await find()
  expect(id).toMatch(/^\d+$/)
  await untilState(id ?? '', 'completed')
  expect(await find(), 'it is still found after it has ended').toBe(id)
})

test('the preview, passed to sbatch unchanged, creates the same job', async () => {
  const name = `it's "q" \\ # $HOME ü`
  const stdoutPath = path.join(cluster.workdir, 'pre "view" 5%.txt')
  const job = {
    name,
    cores: 2,
    nodes: 2,
    gpus: 1,
    walltime: '0-01:00:00',
    script: 'echo previewed',
    stdoutPath,
  }
  const ended = await untilState(await sbatch([], slurm.preview(request(job))), 'completed')
  expect(ended).toMatchObject({
    name,
    cores: 2,
    nodes: 2,
    gpus: 1,
    timeLimitS: 3600,
    workdir: cluster.workdir,
  })
  expect(await outputOf(job)).toBe('previewed\n')
})

test("the form's values override the script's directives, which apply where the form has no value", async () => {
  const script =
    '#!/bin/bash\n#SBATCH --time=02:00:00 --begin=now+1hour\n#PBS -l nodes=2:ppn=1\n#PBS -N x\ntrue\n'
  const job = { name: 'mine', walltime: '00:10:00', script }
  for (const id of [await submit(job), await sbatch([], slurm.preview(request(job)))]) {
    const shown = await exec(['scontrol', 'show', 'job', id], { env: cluster.env })
    await execute(slurm.cancel(id))
    expect(shown.stdout).toContain('TimeLimit=00:10:00')
    expect(shown.stdout).toContain('Reason=BeginTime')
    expect(shown.stdout).toContain('JobName=mine')
    expect(shown.stdout).toMatch(/NumNodes=1\b.* NumTasks=1\b/)
  }
})

test('hostile job names are read as names', async () => {
  const names = [
    'a\nb',
    '1|2|3',
    `"'\`$(id)`,
    '\u001f\u001e\u0000x'.replace('\0', ''),
    '~abc~',
    '日本語 👩‍🚀',
    ' JobState=FAILED ExitCode=9:0',
    '--hold',
    '%j%%',
  ]
  const ids = new Map<string, string>()
  for (const name of names) {
    const texts = [`--job-name=${name}`, `--comment=${name}`]
    ids.set(await sbatch(['--hold', ...texts, '--output=/dev/null', '--wrap=true']), name)
  }
  const queue = await execute(slurm.queue())
  for (const [id, name] of ids)
    expect(queue.find((job) => job.id === id)).toMatchObject({ name, state: 'blocked' })
  expect(queue.filter((job) => ids.has(job.id))).toHaveLength(names.length)
  await Promise.all(Array.from(ids.keys(), (id) => execute(slurm.cancel(id))))
})

test('invalid requests fail with an error code', async () => {
  const refused = (query: Query<unknown>, code: SchedulerErrorCode) =>
    expect(execute(query)).rejects.toMatchObject({ code })
  await refused(slurm.cancel('999999'), 'unknown_job')
  await refused(slurm.jobDetail('999999'), 'unknown_job')
  await refused(slurm.hold('999999'), 'unknown_job')
  await refused(slurm.submit(request({ partition: 'nope' }), 'm'), 'bad_queue')
  await refused(slurm.submit(request({ gpus: 99 }), 'm'), 'infeasible')
  await refused(slurm.submit(request({ array: '1-999999' }), 'm'), 'invalid')
  await refused(slurm.nodeDetail('nope'), 'invalid')
  await refused(slurm.drain('nope', 'x'), 'invalid')
  const done = await submit({})
  await untilState(done, 'completed')
  await refused(slurm.cancel(done), 'unknown_job')
  for (const id of ['-u root', 'abc', '', '1 2']) expect(() => slurm.cancel(id)).toThrow('Not a Slurm job id')
  for (const name of ['ALL', 'n[1-3]', 'n1,n2'])
    expect(() => slurm.drain(name, 'x')).toThrow('Not a node name')
  // This cluster has no accounting.
  for (const query of slurm.history(['999999'])) expect(await execute(query)).toEqual([])
  for (const query of slurm.findByMark('unknown-mark')) expect(await execute(query)).toBeUndefined()
})

test('a drained node is offline with its reason until it is resumed', async () => {
  await execute(slurm.drain('n2', 'bad "disk"\nState=IDLE Reason=none'))
  expect(await node('n2')).toMatchObject({ state: 'offline', reason: 'bad "disk" State=IDLE Reason=none' })
  expect(countNodes(await execute(slurm.nodes()))).toMatchObject({ offline: 1, total: 3, down: 0 })
  await execute(slurm.resume('n2'))
  await until(async () => (await node('n2')).state === 'available')
  await expect(execute(slurm.resume('n2'))).rejects.toMatchObject({ code: 'invalid' })
})

soakIt('a controller that is down is reported as down', async () => {
  await cluster.killController()
  await expect(execute(slurm.queue())).rejects.toMatchObject({ code: 'controller_down' })
  await cluster.startController()
  expect(countNodes(await execute(slurm.nodes())).total).toBe(3)
})
