import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { buildExecutor, startExecutor } from '../../../test/support/schedulers/executor'
import { until } from '../../../test/support/until'
import { Journal } from './journal'
import type { Change, Job } from './state'

const job = (id: number): Job => ({
  id,
  name: `job ${id}`,
  user: 'ada',
  nodes: 1,
  cores: 1,
  gpus: 0,
  limitS: 60,
  workdir: '/tmp',
  stdoutPath: `/tmp/out-${id}`,
  mark: `mark-${id}`,
  runAs: null,
  env: {},
  interpreter: ['/bin/sh'],
  script: 'abc',
  submitTime: 1,
  tasks: [{ state: 'waiting', attempt: 0 }],
})
const line = (change: Change) => Buffer.from(`${JSON.stringify(change)}\n`)
const submitted = (id: number) => line({ op: 'job', job: job(id) })

const damage: [string, Buffer][] = [
  ['garbage', Buffer.from('\u0000\u0000 this is not a record }{\n')],
  ['a truncated line', Buffer.concat([submitted(2).subarray(0, 90), Buffer.from('\n')])],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0xc3, 0x28, 0x22, 0x0a])],
  ['a line longer than any record', Buffer.concat([Buffer.alloc(65 * 1024 * 1024, 'x'), Buffer.from('\n')])],
  ['a record of an unknown kind', Buffer.from('{"op":"explode"}\n')],
  ['a record with invalid fields', Buffer.from('{"op":"job","job":{"id":"two","tasks":[]}}\n')],
  ['valid JSON that is not a record', Buffer.from('null\n')],
  ['a record of a missing job', line({ op: 'cancel', id: 99, at: 1 })],
]

describe('a journal', () => {
  const folderWith = async (...parts: Buffer[]) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-journal-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(path.join(folder, 'journal'), Buffer.concat(parts))
    return folder
  }
  const open = (folder: string) => {
    const warnings: string[] = []
    const journal = new Journal(folder, (text) => warnings.push(text))
    onTestFinished(() => journal.close())
    return { journal, warnings }
  }

  test.each(damage)('with %s in the middle loses only that line', async (_, bad) => {
    const folder = await folderWith(submitted(1), bad, submitted(3))
    const { journal, warnings } = open(folder)
    expect([...journal.state.jobs.keys()]).toEqual([1, 3])
    expect(journal.damaged).toBe(true)
    expect(warnings[0]).toContain('Skipped 1 journal line that cannot be read')
    // The lost line may have been a job, so its id is not reused.
    expect(journal.state.nextId).toBeGreaterThan(4)
    const kept = path.join(folder, 'journal.rejected')
    expect(bad.equals(await readFile(kept))).toBe(true)
    expect((await stat(kept)).mode & 0o777).toBe(0o600)

    const again = open(folder)
    expect(again.journal.damaged).toBe(false)
    expect(again.warnings).toEqual([])
    expect([...again.journal.state.jobs.keys()]).toEqual([1, 3])
    expect(again.journal.state.nextId).toBe(journal.state.nextId)
  })

  test('with a damaged line and a truncated last line is repaired and can be appended to', async () => {
    const folder = await folderWith(submitted(1), Buffer.from('rubbish\n'), Buffer.from('{"op":"dra'))
    const { journal } = open(folder)
    journal.commit([{ op: 'drain', node: 'n1', reason: 'repair' }])
    const again = open(folder)
    expect(again.journal.damaged).toBe(false)
    expect(again.journal.state.drained.get('n1')).toBe('repair')
    expect(await readFile(path.join(folder, 'journal.rejected'), 'utf8')).toBe('rubbish\n')
  })

  test('written by a later version keeps unknown fields', async () => {
    const folder = await folderWith(line({ op: 'job', job: { ...job(1), color: 'red' } as Job }))
    const { journal } = open(folder)
    expect(journal.state.jobs.get(1)).toMatchObject({ color: 'red' })
  })

  test('written by an older version, with canceled spelled with two l, is read', async () => {
    const canceled = { state: 'running', attempt: 1, cancelled: true }
    const folder = await folderWith(
      Buffer.from(`${JSON.stringify({ op: 'job', job: { ...job(1), tasks: [canceled] } })}\n`),
      submitted(2),
      Buffer.from(
        `${JSON.stringify({ op: 'end', id: 2, at: 5, ending: 'cancelled', reason: 'Canceled' })}\n`,
      ),
    )
    const { journal } = open(folder)
    expect(journal.damaged).toBe(false)
    expect(journal.state.jobs.get(1)?.tasks).toMatchObject([{ canceled: true }])
    expect(journal.state.jobs.get(2)?.tasks).toMatchObject([{ state: 'ended', ending: 'canceled' }])
  })
})

describe('an executor whose journal was damaged', () => {
  let program: string[]
  let remove: () => Promise<void>
  beforeAll(async () => {
    ;({ program, remove } = await buildExecutor())
  })
  afterAll(() => remove())

  test('starts, continues running jobs, runs waiting ones, and does not restart a job that had begun', async () => {
    const executor = await startExecutor(program, [{ name: 'n1', cores: 2, gpus: 0 }])
    const out = (name: string) => ({ stdoutPath: path.join(executor.folder, 'work', name) })
    const go = path.join(executor.folder, 'work', 'go')
    const wait = `until [ -e ${go} ]; do sleep 0.05; done`
    const running = await executor.submit({ script: `${wait}; echo over`, ...out('running') })
    const begun = await executor.submit({ script: `echo once >>${go}-count; ${wait}`, ...out('begun') })
    const waiting = await executor.submit({ script: 'echo late', ...out('waiting') })
    await until(async () => (await readFile(`${go}-count`, 'utf8').catch(() => '')) === 'once\n')
    await executor.killDaemon()

    // The start record of the second job is overwritten, as by a bad disk block.
    const file = path.join(executor.spool, 'journal')
    const lines = (await readFile(file, 'utf8')).split('\n')
    const damaged = lines.map((text) =>
      text.startsWith('{"op":"start"') && text.includes(`"id":${begun},`) ? '\u0000'.repeat(40) : text,
    )
    expect(damaged).not.toEqual(lines)
    await writeFile(file, damaged.join('\n'))

    await executor.execute(executor.scheduler.queue())
    expect(await executor.detail(begun)).toMatchObject({ state: 'blocked', nativeState: 'HELD' })
    await appendFile(go, '')
    expect(await executor.ended(running)).toMatchObject({ ending: 'succeeded' })
    expect(await executor.ended(waiting)).toMatchObject({ ending: 'succeeded' })
    expect(await readFile(`${go}-count`, 'utf8')).toBe('once\n')
    expect(await readFile(path.join(executor.spool, 'daemon.log'), 'utf8')).toContain('cannot be read')
    const fresh = await executor.submit({ script: 'echo fresh', ...out('fresh') })
    expect(Number(fresh)).toBeGreaterThan(Number(waiting) + 1)
    expect(await executor.ended(fresh)).toMatchObject({ ending: 'succeeded' })
  })
})
