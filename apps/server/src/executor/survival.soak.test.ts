import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { appendFile, readFile, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  buildExecutor,
  exists,
  startExecutor,
  type TestExecutor,
} from '../../test/support/schedulers/executor'
import { until } from '../../test/support/until'
import { builtin } from '../schedulers/builtin'
import { bootName, processOf } from './processes'

let program: string[]
let remove: () => Promise<void>
beforeAll(async () => {
  ;({ program, remove } = await buildExecutor())
})
afterAll(() => remove())

const nodes = [{ name: 'n1', cores: 4, gpus: 0 }]
const began = async (executor: TestExecutor) =>
  (await executor.output('began').catch(() => '')).split('\n').filter(Boolean)

test('when the executor is killed repeatedly, no job is lost or run twice and no output is missing', async () => {
  const executor = await startExecutor(program, nodes)
  const script =
    'echo $FLOTILLA_ARRAY_TASK >>began; for i in $(seq 300); do echo "line $i"; sleep 0.002; done'
  const id = await executor.submit({ script, array: '1-12' })
  for (let round = 0; round < 5; round++) {
    await sleep(randomInt(400))
    await executor.killDaemon()
    // Querying the queue restarts it.
    await executor.execute(executor.scheduler.queue())
  }
  await executor.ended(id)
  const rows = await executor.execute(executor.scheduler.jobDetail(id))
  expect(rows.map(({ ending }) => ending)).toEqual(Array.from({ length: 12 }, () => 'succeeded'))
  expect((await began(executor)).toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 12 }, (_, index) => String(index + 1)),
  )
  const whole = Array.from({ length: 300 }, (_, index) => `line ${index + 1}\n`).join('')
  for (let task = 1; task <= 12; task++) expect(await executor.output(`out-${task}`)).toBe(whole)
})

test('a job survives the kill of the whole process group of the server that submitted it', async () => {
  const executor = await startExecutor(program, nodes)
  await executor.killDaemon()
  const { argv, stdin } = executor.scheduler.submit(executor.job({ script: 'sleep 1; echo done' }), 'grouped')
  // This shell stands in for the server: everything it starts without detaching is in its process group.
  const server = spawn('sh', ['-c', '"$@"; sleep 60', 'sh', ...argv], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  server.stdin.end(stdin)
  const id = await new Promise<string>((resolve) =>
    server.stdout.once('data', (data: Buffer) => resolve(data.toString().trim())),
  )
  process.kill(-(server.pid ?? 0), 'SIGKILL')
  expect(await executor.ended(id)).toMatchObject({ ending: 'succeeded' })
  expect(await executor.output()).toBe('done\n')
})

test('a submission that is interrupted and retried creates one job', async () => {
  const executor = await startExecutor(program, nodes)
  for (let round = 0; round < 4; round++) {
    const job = { script: `echo ${round} >>began`, cores: 1 }
    const first = executor.submit(job, `mark-${round}`).catch(() => undefined)
    await sleep(randomInt(250))
    await executor.killDaemon().catch(() => undefined)
    const second = executor.submit(job, `mark-${round}`)
    const third = executor.submit(job, `mark-${round}`)
    const ids = [await first, await second, await third].filter((id) => id !== undefined)
    expect(new Set(ids).size).toBe(1)
    const [find] = executor.scheduler.findByMark(`mark-${round}`)
    expect(find && (await executor.execute(find))).toBe(ids[0])
    await executor.ended(ids[0] ?? '')
  }
  expect(await began(executor)).toEqual(['0', '1', '2', '3'])
  const [find] = executor.scheduler.findByMark('never-sent')
  expect(find && (await executor.execute(find))).toBeUndefined()
})

test('a truncated record in the journal is skipped', async () => {
  const executor = await startExecutor(program, nodes)
  const id = await executor.submit({ script: 'true' })
  await executor.ended(id)
  await executor.killDaemon()
  await appendFile(path.join(executor.spool, 'journal'), '{"op":"job","job":{"id":2,"na')
  const next = await executor.submit({ script: 'true' })
  expect(next).toBe('2')
  expect(await executor.ended(next)).toMatchObject({ ending: 'succeeded' })
})

test('a start that was claimed but never began is carried out once', async () => {
  const executor = await startExecutor(program, nodes)
  await executor.execute(executor.scheduler.drain('n1', 'not yet'))
  const id = await executor.submit({ script: 'echo ran >>began' })
  await executor.killDaemon()
  // The record that the journal ends with when the executor dies between claiming and starting.
  const claim = {
    op: 'start',
    id: Number(id),
    key: 'k',
    boot: bootName(),
    places: [{ node: 'n1', gpus: [] }],
    at: Date.now(),
  }
  await appendFile(path.join(executor.spool, 'journal'), `${JSON.stringify(claim)}\n`)
  expect(await executor.detail(id)).toMatchObject({ state: 'queued' })
  await executor.execute(executor.scheduler.resume('n1'))
  expect(await executor.ended(id)).toMatchObject({ ending: 'succeeded' })
  expect(await began(executor)).toEqual(['ran'])
})

/** The process id of a job's guard. */
async function guardOf(executor: TestExecutor, id: string): Promise<number> {
  const file = path.join(executor.spool, 'run', `${id}.1`, 'begun')
  await until(() => exists(file))
  return Number((await readFile(file, 'utf8')).split(' ')[0])
}

test('a job whose guard is killed fails with that reason and leaves no processes behind', async () => {
  const executor = await startExecutor(program, nodes)
  const id = await executor.submit({ script: 'echo up; setsid sleep 4567 & sleep 4567' })
  await until(async () => (await executor.output().catch(() => '')) === 'up\n')
  process.kill(await guardOf(executor, id), 'SIGKILL')
  expect(await executor.ended(id)).toMatchObject({
    ending: 'node_failed',
    reason: 'The process supervising the job was killed',
  })
  const names = await Promise.all(
    (await readdir('/proc')).map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  expect(names.filter((name) => name.startsWith('sleep\u00004567'))).toEqual([])
})

test('a job that was running when the machine restarted fails with that reason', async () => {
  const executor = await startExecutor(program, nodes)
  const id = await executor.submit({ script: 'sleep 60' })
  const guard = await guardOf(executor, id)
  await executor.killDaemon()
  process.kill(guard, 'SIGKILL')
  await until(() => !processOf(guard) || processOf(guard)?.state === 'Z')
  const journal = path.join(executor.spool, 'journal')
  await writeFile(journal, (await readFile(journal, 'utf8')).replaceAll(bootName(), 'another'))
  expect(await executor.ended(id)).toMatchObject({
    ending: 'node_failed',
    reason: 'The machine restarted while the job ran',
  })
})

test('an idle executor exits and is started again when it is needed', async () => {
  const executor = await startExecutor([...program, '--idle', '0.5'], nodes)
  const id = await executor.submit({ script: 'while [ ! -e go ]; do sleep 0.05; done; echo one' })
  const pid = await executor.daemonPid()
  await writeFile(path.join(executor.folder, 'work', 'go'), '')
  await executor.ended(id)
  await until(() => !processOf(pid) || processOf(pid)?.state === 'Z')
  expect(await executor.execute(executor.scheduler.queue())).toMatchObject([{ id, ending: 'succeeded' }])
  expect(await exists(path.join(executor.spool, 'daemon.pid'))).toBe(false)
  expect(await executor.ended(await executor.submit({ script: 'echo two' }))).toMatchObject({
    ending: 'succeeded',
  })
})

test('a new version of the program replaces the running one, and its jobs continue', async () => {
  const executor = await startExecutor(program, nodes)
  const id = await executor.submit({ script: 'while [ ! -e go ]; do sleep 0.05; done; echo done' })
  const old = await executor.daemonPid()
  const newer = await buildExecutor('// a newer version')
  onTestFinished(newer.remove)
  const scheduler = builtin({ program: newer.program, spool: executor.spool, runAs: null })
  expect(await executor.execute(scheduler.jobDetail(id))).toMatchObject([{ id, state: 'running' }])
  expect(processOf(old)?.state ?? 'Z').toBe('Z')
  await writeFile(path.join(executor.folder, 'work', 'go'), '')
  expect(await executor.ended(id)).toMatchObject({ ending: 'succeeded' })
  expect(await executor.output()).toBe('done\n')
})
