import { readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildExecutor, exists, startExecutor } from '../../test/support/schedulers/executor'
import { until } from '../../test/support/until'
import { soakIt } from '../../test/support/soak'
import { configureNodes } from '../schedulers/builtin'

let program: string[]
let remove: () => Promise<void>
beforeAll(async () => {
  ;({ program, remove } = await buildExecutor())
})
afterAll(() => remove())

const node = (name: string, cores: number, gpus = 0) => ({ name, cores, gpus })
const twoNodes = [node('n1', 4, 2), node('n2', 4, 2)]

describe('a job', () => {
  test('runs, writes to its files and ends with its exit code', async () => {
    const executor = await startExecutor(program, twoNodes)
    const id = await executor.submit({ script: 'echo out; echo err >&2; exit 3', stderrPath: 'errors' })
    const job = await executor.ended(id)
    expect(job).toMatchObject({ ending: 'failed', exitCode: 3, reason: 'Ended with exit code 3' })
    expect(job.endTime).toBeGreaterThanOrEqual(job.startTime ?? Infinity)
    expect(await executor.output()).toBe('out\n')
    expect(await executor.output('errors')).toBe('err\n')

    const other = await executor.submit({ script: '#!/usr/bin/perl\nkill 9, $$', stdoutPath: 'perl' })
    expect(await executor.ended(other)).toMatchObject({
      ending: 'failed',
      exitCode: 137,
      reason: 'Ended by signal 9',
    })
    const mute = await executor.submit({ script: 'true', stdoutPath: '/proc/none/out' })
    expect(await executor.ended(mute)).toMatchObject({
      ending: 'failed',
      reason: 'Could not start: its output cannot be written to /proc/none/out',
    })
    const [history] = executor.scheduler.history([id, other, '99'])
    expect(history && (await executor.execute(history))).toMatchObject([{ id }, { id: other }])
  })

  soakIt('whose time limit is extended runs until the new limit and no longer', async () => {
    const executor = await startExecutor(program, twoNodes)
    const id = await executor.submit({
      script: 'touch began; while :; do sleep 0.1; done',
      walltime: '00:00:05',
    })
    await until(() => exists(path.join(executor.folder, 'work', 'began')))
    await executor.execute(executor.scheduler.extend(id, 7))
    const { startTime = 0, endTime = 0, ending } = await executor.ended(id)
    expect(ending).toBe('timed_out')
    expect(endTime - startTime).toBeGreaterThanOrEqual(7000)
    await expect(executor.execute(executor.scheduler.extend(id, 9))).rejects.toMatchObject({
      code: 'unknown_job',
    })
  })

  test('gets a clean environment with its nodes and GPUs, and no other job gets the same GPUs', async () => {
    const executor = await startExecutor(program, twoNodes)
    const script = 'env; cat "$FLOTILLA_NODEFILE"; while [ ! -e go ]; do sleep 0.05; done'
    const wide = await executor.submit({
      script,
      nodes: 2,
      cores: 2,
      gpus: 1,
      stdoutPath: 'wide',
      name: "it's $HOME",
    })
    const small = await executor.submit({ script, gpus: 1, stdoutPath: 'small' })
    const output = await until(
      async () => /n2\nn2\n/.exec(await executor.output('wide').catch(() => '')) && executor.output('wide'),
    )
    expect(output).toContain("FLOTILLA_JOB_NAME=it's $HOME\n")
    expect(output).toContain('FLOTILLA_NODES=n1 n2\n')
    expect(output).toMatch(/n1\nn1\nn2\nn2\n$/)
    expect(output).not.toContain('VITEST')
    expect((await executor.detail(wide)).nodeList).toBe('n1,n2')
    const busy = await until(async () => {
      const found = await executor.execute(executor.scheduler.nodeDetail('n1'))
      return found.jobs?.includes(small) ? found : undefined
    })
    expect(busy).toMatchObject({ state: 'busy', jobs: [wide, small], gpusUsed: 2, coresUsed: 3 })
    const gpus = async (name: string) =>
      /CUDA_VISIBLE_DEVICES=(.*)/.exec(await executor.output(name))?.[1]?.split(',') ?? []
    await until(async () => (await executor.output('small')).includes('CUDA'))
    const given = [...(await gpus('wide')), ...(await gpus('small'))]
    expect(given).toHaveLength(3)
    expect(new Set(given).size).toBe(3)
  })

  test('with a hostile name, script or output path does no harm', async () => {
    const executor = await startExecutor(program, twoNodes)
    const name = `"; touch /tmp/flotilla-harm; ' $(touch harm) \n\u001b[31m <b>`
    const script = `#!/bin/bash\nprintf '%s' "$FLOTILLA_JOB_NAME"; kill -TERM 0; sleep 60`
    const id = await executor.submit({ name, script, stdoutPath: `o'u"t $(x)` })
    expect(await executor.ended(id)).toMatchObject({ ending: 'failed', exitCode: 143 })
    expect(await executor.output(`o'u"t $(x)`)).toBe(`"; touch /tmp/flotilla-harm; ' $(touch harm)  [31m <b>`)
    expect(await exists('/tmp/flotilla-harm')).toBe(false)
    await expect(executor.execute(executor.scheduler.cancel('--help'))).rejects.toMatchObject({
      code: 'unknown_job',
    })
    await expect(executor.submit({ script: '#!bash\ntrue' })).rejects.toMatchObject({ code: 'invalid' })
  })

  test('that exceeds its wall time is ended with all processes that it started', async () => {
    const executor = await startExecutor(program, twoNodes)
    // The grandchild leaves the session, is orphaned, has an empty environment and ignores SIGTERM.
    const stubborn = `trap "" TERM; echo $$ >stubborn; while :; do sleep 0.1; done`
    const script = `trap 'echo told; exit 7' TERM; (setsid env -i bash -c '${stubborn}' &) & while :; do sleep 0.1; done`
    // Long enough for all processes to start, even on a busy machine.
    const id = await executor.submit({ script, walltime: '00:00:08' })
    expect(await executor.ended(id)).toMatchObject({
      ending: 'timed_out',
      exitCode: 7,
      reason: 'Stopped because it exceeded its wall time',
    })
    expect(await executor.output()).toContain('told\n')
    const work = path.join(executor.folder, 'work')
    expect(await exists(path.join(work, 'stubborn'))).toBe(true)
    expect(await processesIn(work)).toEqual([])
  })
})

/** The commands of the processes whose current directory is this folder. */
async function processesIn(folder: string): Promise<string[]> {
  const commands = (await readdir('/proc')).map(async (pid) => {
    const place = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    return place === folder ? [await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')] : []
  })
  return (await Promise.all(commands)).flat()
}

describe('the queue', () => {
  test('keeps jobs waiting with a reason until they fit, and lets them be canceled, held and released', async () => {
    const executor = await startExecutor(program, [node('n1', 2)])
    const running = await executor.submit({ script: 'echo $$ >>began; sleep 60', cores: 2 })
    const waiting = await executor.submit({ script: 'echo ran >>began', cores: 2 })
    const never = await executor.submit({ script: 'true', nodes: 9 })
    const rows = async () =>
      new Map((await executor.execute(executor.scheduler.queue())).map((row) => [row.id, row]))
    await until(async () => (await rows()).get(never)?.reason)
    expect((await rows()).get(waiting)).toMatchObject({
      state: 'queued',
      reason: 'Waiting for 2 free cores: 1 job is running',
    })
    expect((await rows()).get(never)).toMatchObject({
      state: 'blocked',
      reason: 'Requests 9 nodes, but the cluster has 1: it can never start',
    })
    await executor.execute(executor.scheduler.hold(waiting))
    await until(async () => (await rows()).get(waiting)?.state === 'blocked')
    await executor.execute(executor.scheduler.cancel(never))
    expect(await executor.ended(never)).toMatchObject({ ending: 'canceled', nodeList: '' })

    await until(() => executor.output('began').catch(() => ''))
    await executor.execute(executor.scheduler.cancel(running))
    expect(await executor.ended(running)).toMatchObject({
      ending: 'canceled',
      nativeState: 'CANCELED',
      reason: 'Canceled',
      exitCode: 143,
    })
    await expect(executor.execute(executor.scheduler.cancel(running))).rejects.toMatchObject({
      code: 'unknown_job',
    })
    expect(await executor.detail(waiting)).toMatchObject({
      state: 'blocked',
      reason: 'Held. Release it to let it start.',
    })
    await executor.execute(executor.scheduler.release(waiting))
    expect(await executor.ended(waiting)).toMatchObject({ ending: 'succeeded', exitCode: 0 })
    expect((await executor.output('began')).split('\n')).toHaveLength(3)
  })

  test('backfills a short job before the first one, but no job that would delay it', async () => {
    const executor = await startExecutor(program, [node('n1', 2)])
    const running = await executor.submit({ script: 'sleep 60', walltime: '00:01:00' })
    const first = await executor.submit({ script: 'sleep 60', cores: 2 })
    const long = await executor.submit({ script: 'sleep 60', walltime: '00:02:00' })
    const short = await executor.submit({ script: 'sleep 60', walltime: '00:00:30' })
    const job = await until(async () => {
      const row = await executor.detail(short)
      return row.state === 'running' ? row : undefined
    })
    expect(job.nodeList).toBe('n1')
    expect(await executor.detail(long)).toMatchObject({
      state: 'queued',
      // Which of the two reasons applies depends on when the queue was last planned.
      reason: expect.stringMatching(/^Waiting (its turn: it would delay an earlier job|for earlier jobs)/),
    })
    const { startTime = 0 } = await executor.detail(running)
    expect(await executor.detail(first)).toMatchObject({
      state: 'queued',
      expectedStartTime: startTime + 60_000,
    })
  })

  test('runs an array within its limit and cancels a single task of it', async () => {
    const executor = await startExecutor(program, [node('n1', 8)])
    const script =
      'echo $FLOTILLA_ARRAY_TASK $SLURM_ARRAY_TASK_ID $PBS_ARRAYID; ls busy 2>/dev/null | wc -l >>most; mkdir -p busy/$FLOTILLA_ARRAY_TASK; until [ -e go ]; do sleep 0.05; done; sleep 0.1; rmdir busy/$FLOTILLA_ARRAY_TASK'
    const id = await executor.submit({ script, array: '1-9:2,20%2' })
    await until(async () =>
      (await executor.execute(executor.scheduler.queue())).some(
        (row) => row.arrayId === id && row.state === 'running',
      ),
    )
    await executor.execute(executor.scheduler.cancel(`${id}_20`))
    await writeFile(path.join(executor.folder, 'work', 'go'), '')
    await executor.ended(id)
    const rows = await executor.execute(executor.scheduler.jobDetail(id))
    expect(rows.map((row) => [row.arrayTask, row.ending])).toEqual([
      ['1', 'succeeded'],
      ['3', 'succeeded'],
      ['5', 'succeeded'],
      ['7', 'succeeded'],
      ['9', 'succeeded'],
      ['20', 'canceled'],
    ])
    expect(await executor.output('out-7')).toBe('7 7 7\n')
    expect(Math.max(...(await executor.output('most')).trim().split('\n').map(Number))).toBeLessThan(2)
  })

  test('starts nothing on a drained or removed node', async () => {
    const executor = await startExecutor(program, [node('n1', 2), node('n2', 2)])
    await executor.execute(executor.scheduler.drain('n1', 'a fan is broken'))
    const states = async () =>
      (await executor.execute(executor.scheduler.nodes())).map(({ name, state, reason }) => [
        name,
        state,
        reason,
      ])
    await until(async () => (await states())[0]?.[1] === 'offline')
    expect(await states()).toEqual([
      ['n1', 'offline', 'a fan is broken'],
      ['n2', 'available', ''],
    ])
    const both = await executor.submit({ script: 'true', nodes: 2 })
    expect(await executor.detail(both)).toMatchObject({
      reason: 'Waiting for nodes that are out of service: n1',
    })
    const one = await executor.submit({ script: 'sleep 60' })
    await until(async () => (await executor.detail(one)).nodeList === 'n2')
    await executor.execute(executor.scheduler.resume('n1'))
    expect(await executor.ended(both)).toMatchObject({ ending: 'succeeded', nodeList: 'n1,n2' })
    await executor.execute(configureNodes(executor.scheduler, [node('n1', 2)]))
    await until(async () => (await states()).some(([name, state]) => name === 'n2' && state === 'offline'))
    expect((await executor.detail(one)).state).toBe('running')
    await expect(executor.execute(executor.scheduler.drain('n9', 'x'))).rejects.toMatchObject({
      code: 'invalid',
    })
  })

  soakIt('accepts two thousand jobs', async () => {
    const executor = await startExecutor(program, [node('n1', 2)])
    const job = executor.job({ script: 'sleep 60', cores: 2 })
    const ids = await executor.submitMany(
      Array.from({ length: 2000 }, (_, index) => ({ job, mark: `many-${index}` })),
    )
    expect(new Set(ids).size).toBe(2000)
    await until(async () => (await executor.execute(executor.scheduler.queue())).length === 2000)
    const rows = await executor.execute(executor.scheduler.queue())
    expect(rows.filter(({ state }) => state === 'running')).toHaveLength(1)
    expect(rows.at(-1)).toMatchObject({
      state: 'queued',
      reason: 'Waiting for earlier jobs',
    })
  })
})

soakIt('the load of a node is what its jobs actually use', async () => {
  const executor = await startExecutor(program, [node('n1', 2)])
  await executor.submit({ script: 'while :; do :; done' })
  const busy = await until(async () => {
    const [found] = await executor.execute(executor.scheduler.nodes())
    return (found?.load ?? 0) > 0.05 ? found : undefined
  })
  expect(busy.memoryFreeMb).toBeLessThanOrEqual(busy.memoryMb)
})
