import { directiveNotes } from '@flotilla/contract/jobs/directives'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { CommandResult, JobRequest } from './scheduler'
import { slurm } from './slurm'

const recorded = (name: string) =>
  readFileSync(path.join(import.meta.dirname, '../../test/support/schedulers/slurm-recordings', name), 'utf8')
const printed = (stdout: string): CommandResult => ({ code: 0, stdout, stderr: '' })

const request: JobRequest = {
  name: 'solve',
  nodes: 2,
  cores: 4,
  gpus: 1,
  walltime: '1-02:00:00',
  script: 'srun ./solve',
  workdir: '/home/ann/my work',
  stdoutPath: '/home/ann/50%.txt',
}

test('options are passed to the command, and the script is passed unchanged', () => {
  const { argv, stdin } = slurm.submit(
    { ...request, array: '0-9%2', stderrPath: '/e', partition: 'p', account: 'a' },
    'm1',
  )
  expect(argv).toEqual([
    'sbatch',
    '--parsable',
    '--job-name=solve',
    '--nodes=2',
    '--ntasks-per-node=4',
    '--gpus-per-node=1',
    '--time=1-02:00:00',
    '--array=0-9%2',
    '--partition=p',
    '--account=a',
    '--chdir=/home/ann/my work',
    '--output=/home/ann/50%%.txt-%a',
    '--error=/e-%a',
    '--open-mode=append',
    '--comment=flotilla=m1',
  ])
  expect(stdin).toBe('#!/bin/bash\nsrun ./solve\n')
  expect(slurm.submit({ ...request, script: '#!/usr/bin/python3\r\nprint(1)\r\n' }, 'm').stdin).toBe(
    '#!/usr/bin/python3\nprint(1)\n',
  )
})

test('the preview is a script that sbatch accepts unchanged', () => {
  expect(slurm.preview({ ...request, name: 'a "b"' })).toBe(`#!/bin/bash
#SBATCH --job-name="a \\"b\\""
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=1
#SBATCH --time=1-02:00:00
#SBATCH --chdir="/home/ann/my work"
#SBATCH --output=/home/ann/50%%.txt
#SBATCH --open-mode=append
srun ./solve
`)
})

test('the preview has the options after the directives of the script, which they override', () => {
  const script = '#!/bin/bash\n# mine\n#SBATCH --time=5\n#PBS -N x\nsrun ./solve\n#SBATCH --nodes=9\n'
  const lines = slurm.preview({ ...request, script }).split('\n')
  expect(lines.slice(0, 4)).toEqual(['#!/bin/bash', '# mine', '#SBATCH --time=5', '#SBATCH --job-name=solve'])
  expect(lines.indexOf('#SBATCH --ignore-pbs')).toBeLessThan(lines.indexOf('#PBS -N x'))
  expect(slurm.submit({ ...request, script }, 'm').argv).toContain('--ignore-pbs')
})

test('a directive of the script that a command option overrides is reported to have no effect', () => {
  const { argv } = slurm.submit({ ...request, array: '1-2' }, 'm')
  const script = argv
    .slice(2)
    .map((option) => `#SBATCH ${option}\n`)
    .join('')
  const job = { name: request.name, data: { ...request, array: '1-2' } }
  const notes = directiveNotes(job, script, 'slurm')
  expect(notes).toHaveLength(argv.length - 2)
  for (const note of notes) expect(note).toContain('has no effect')
})

test('values that Slurm would misread are rejected before it is called', () => {
  const wrong: Partial<JobRequest>[] = [
    { nodes: 0 },
    { cores: 1.5 },
    { gpus: -1 },
    { walltime: '90' },
    { walltime: '00:00:00' },
    { walltime: '1:60:00' },
    { script: ' \n' },
    { array: '5-1' },
    { array: '1-5:0' },
    { array: 'x' },
    { workdir: '/a\nb' },
    { stdoutPath: '/a\0b' },
  ]
  for (const part of wrong)
    expect(() => slurm.submit({ ...request, ...part }, 'm'), JSON.stringify(part)).toThrow(
      expect.objectContaining({ code: 'invalid' }),
    )
})

test('the id is read from the output of sbatch, with or without the name of a cluster', () => {
  const { parse } = slurm.submit(request, 'm')
  expect(parse(printed('11\n'))).toBe('11')
  expect(parse(printed('11;east\n'))).toBe('11')
  expect(() => parse(printed(''))).toThrow(expect.objectContaining({ code: 'unknown' }))
})

test('every recorded failure has an error code', () => {
  const results = new Map(
    Array.from(
      recorded('commands-and-errors.txt').matchAll(/^\$ (.*)\n([\s\S]*?)\[rc=(\d+)/gm),
      ([, command = '', text = '', code]) => [command, { code: Number(code), stdout: '', stderr: text }],
    ),
  )
  const result = (command: string) => results.get(command) ?? printed('no such recording')
  const submit = slurm.submit(request, 'm')
  const codeOf = (parse: (result: CommandResult) => unknown, command: string) => {
    try {
      parse(result(command))
    } catch (error) {
      return error
    }
    return undefined
  }
  const expected: [(result: CommandResult) => unknown, string, string][] = [
    [submit.parse, 'sbatch -p nope --wrap true', 'bad_queue'],
    [submit.parse, 'sbatch /nonexistent', 'invalid'],
    [submit.parse, 'timeout 30 sbatch --wrap true', 'controller_down'],
    [slurm.cancel('1').parse, 'scancel abc', 'unknown_job'],
    [slurm.cancel('1').parse, 'scancel 1   # as non-owner games', 'not_permitted'],
    [slurm.jobDetail('1').parse, 'squeue -j 999999', 'unknown_job'],
    [slurm.queue().parse, 'timeout 30 squeue', 'controller_down'],
    [slurm.drain('zz', 'x').parse, 'scontrol update nodename=zz state=drain reason=x', 'invalid'],
    [slurm.hold('9').parse, 'scontrol hold 999999', 'unknown_job'],
  ]
  for (const [parse, command, code] of expected)
    expect(codeOf(parse, command), command).toMatchObject({ code })
  expect(codeOf(submit.parse, 'timeout 30 sbatch --wrap true')).toMatchObject({ notDelivered: true })
  const broken = { code: 1, stdout: '', stderr: 'Batch job submission failed: Socket timed out' }
  expect(() => submit.parse(broken), 'it may have arrived').toThrow(
    expect.objectContaining({ code: 'controller_down', notDelivered: false }),
  )
  expect(() => slurm.queue().parse({ code: 127, stdout: '', stderr: '' })).toThrow('squeue was not found')
  expect(() => slurm.queue().parse({ code: 1, stdout: '', stderr: 'sky fell' })).toThrow('sky fell')
  expect(() => slurm.queue().parse({ ...printed(''), truncated: true })).toThrow('too large')
})
