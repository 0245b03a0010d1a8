import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exec } from '../../../test/support/exec'
import { until } from '../../../test/support/until'
import type { JobRequest } from '../scheduler'
import { torque } from '../torque'
import { readEndFiles } from './end-files'
import { wrapped } from './wrapper'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "flotilla-test-wrapper-it's "))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let count = 0
const request = (script: string, job: Partial<JobRequest> = {}): JobRequest => ({
  name: 'job',
  nodes: 1,
  cores: 1,
  gpus: 0,
  walltime: '00:01:00',
  script,
  workdir: folder,
  stdoutPath: path.join(folder, `output-${++count}.txt`),
  ...job,
})

/** Passes the script to the shell's stdin, as some sites do. `spooled` is what Torque delivers at the end. */
function start(job: JobRequest, env: Record<string, string> = {}) {
  const child = spawn('/bin/sh', [], { detached: true, env: { PATH: process.env.PATH, ...env } })
  let spooled = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (spooled += piece.toString()))
  child.stdin.end(wrapped(job, 'm1'))
  const ended = new Promise<{ code: number | null; spooled: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, spooled })),
  )
  return { child, ended }
}
const output = ({ stdoutPath }: JobRequest, task = '') => readFile(stdoutPath + task, 'utf8')

test('the output of a job is in its file while the job runs', async () => {
  const job = request('echo begins; echo in stderr >&2; while [ ! -e go ]; do sleep 0.05; done; exit 3')
  const { child, ended } = start({ ...job, script: `cd "${folder}"\n${job.script}` })
  await until(async () => (await output(job).catch(() => '')) === 'begins\nin stderr\n')
  expect(child.exitCode).toBeNull()
  await start(request(`touch "${folder}/go"`)).ended
  expect(await ended).toEqual({ code: 3, spooled: '' })
})

test('a script without an interpreter line is run by the shell that it requests', async () => {
  const requested = request('#PBS -S /bin/cat@tn01,/bin/cat\nthis is shown')
  await start(requested).ended
  expect(await output(requested)).toContain('this is shown')
  const named = request('#!/bin/sh\n#PBS -S /bin/cat\necho run')
  await start(named).ended
  expect(await output(named)).toBe('run\n')
})

test('each task of an array has its own file', async () => {
  const job = request('echo "task $PBS_ARRAYID"')
  await Promise.all(['7', '8'].map((task) => start(job, { PBS_ARRAYID: task }).ended))
  expect(await output(job, '-7')).toBe('task 7\n')
  expect(await output(job, '-8')).toBe('task 8\n')
})

test('any interpreter runs the script unchanged, with an empty stdin', async () => {
  const perl = request(
    "#!/usr/bin/perl -w\n#PBS -l mem=1gb\nprint <<'X', <STDIN>, __LINE__, \"\\n\";\n'$a` \\\\\nX\n",
  )
  await start(perl).ended
  expect(await output(perl)).toBe("'$a` \\\\\n3\n")
  const shell = request('cat; false\necho line $LINENO')
  await start(shell).ended
  expect(await output(shell)).toBe('line 3\n')
  const missing = request('#!/nowhere/python\nprint()')
  expect((await start(missing).ended).code).toBe(127)
  expect(await output(missing)).toContain('/nowhere/python')
})

test("Torque finds the script's own directives, but none after its first command", () => {
  const lines = wrapped(request('#!/bin/sh\n# about\n#PBS -z\n\n#PBS -l mem=1gb\ndate\n#PBS -h'), 'm').split(
    '\n',
  )
  const command = lines.findIndex((line) => /^\s*[^#\s]/.test(line))
  expect(lines.slice(0, command).filter((line) => line.startsWith('#PBS'))).toEqual([
    '#PBS -z',
    '#PBS -l mem=1gb',
  ])
})

test('a signal to all processes of a job lets its script end by itself', async () => {
  const job = request(`trap 'echo cleaned; exit 9' TERM\necho ready\nwhile :; do sleep 0.05; done`)
  const { child, ended } = start(job)
  await until(async () => (await output(job).catch(() => '')) === 'ready\n')
  process.kill(-(child.pid ?? 0), 'SIGTERM')
  expect((await ended).code).toBe(9)
  expect(await output(job)).toContain('cleaned')
})

test('Torque delivers the output if its file cannot be written', async () => {
  const job = request('echo still there', { stdoutPath: path.join(folder, 'nowhere', 'output.txt') })
  expect(await start(job).ended).toEqual({ code: 0, spooled: 'still there\n' })
  const listed = await readdir(folder)
  expect(
    listed.filter((name) => !name.startsWith('.')),
    'the folder is not created',
  ).not.toContain('nowhere')
})

test('the end of a job is recorded next to its output', async () => {
  const ended = async (script: string, env: Record<string, string> = {}, signal?: NodeJS.Signals) => {
    const job = request(script)
    const running = start(job, { PBS_JOBID: '18.head', ...env })
    if (signal) {
      await until(async () => (await output(job).catch(() => '')) === 'ready\n')
      process.kill(-(running.child.pid ?? 0), signal)
    }
    const how = await running.ended
    const [argv = []] = [torque.ownHistory?.(['18.head'], [folder])[1]?.argv]
    return { how, ends: readEndFiles(await exec(argv, { env: {} })) }
  }
  expect((await ended('exit 3')).ends).toMatchObject([{ id: '18.head', exitCode: 3, ending: 'failed' }])
  const canceled = await ended('echo ready; sleep 100', {}, 'SIGTERM')
  expect(canceled.ends).toMatchObject([{ exitCode: 143, ending: 'canceled' }])
  expect(canceled.how.code, 'ended by the signal').toBeNull()
  const task = await ended('true', { PBS_ARRAYID: '7', PBS_JOBID: '19[7].head' })
  expect(task.ends).toContainEqual(
    expect.objectContaining({ arrayId: '19[].head', arrayTask: '7', exitCode: 0 }),
  )
})

test('a job that is restarted has no recorded end', async () => {
  const job = request('[ -e .flotilla-end ] && exit 5; exit 0')
  await start({ ...job, script: `cd "${folder}"\n${job.script}` }, { PBS_JOBID: '20.head' }).ended
  expect((await start({ ...job, script: `cd "${folder}"\n${job.script}` }).ended).code).toBe(0)
})
