import { directiveNotes } from '@flotilla/contract/jobs/directives'
import { expect, test } from 'vitest'
import type { CommandResult, JobRequest } from './scheduler'
import { torque } from './torque'
import { recorded } from '../../test/support/schedulers/torque/recordings'

const request: JobRequest = {
  name: 'solve',
  nodes: 2,
  cores: 4,
  gpus: 1,
  walltime: '1-02:00:00',
  script: 'mpirun ./solve',
  workdir: '/home/ann',
  stdoutPath: '/home/ann/out.txt',
}

test('options are passed to the command and the script to the wrapper', () => {
  const { argv, stdin } = torque.submit(
    { ...request, array: '0-9:3%2', stderrPath: '/e', partition: 'q', account: 'a' },
    'm1',
  )
  const output =
    '-N solve -l nodes=2:ppn=4:gpus=1 -l walltime=26:00:00 -t 0,3,6,9%2 -q q -A a -d /home/ann -w /home/ann -o /home/ann/torque-messages.txt -j oe -k n -v FLOTILLA_MARK=m1'
  expect(argv).toEqual(['qsub', ...output.split(' ')])
  expect(stdin).toContain('\n#!/bin/bash\nmpirun ./solve\nEND-m1\n')
})

test('the shell requested by the script does not run the wrapper', () => {
  const { argv } = torque.submit({ ...request, script: '#PBS -S /usr/bin/python3\nprint()' }, 'm1')
  expect(argv.join(' ')).toContain(' -S /bin/bash ')
})

test('variables requested by the script are kept', () => {
  const script = '#!/bin/bash\n#PBS -v COLOR=blue,SIZE=3\n#PBS -l mem=1gb -vNAME="a b"\nenv\n#PBS -v LATE=1'
  const { argv } = torque.submit({ ...request, script }, 'm1')
  expect(argv.slice(-2)).toEqual(['-v', 'FLOTILLA_MARK=m1,COLOR=blue,SIZE=3,NAME=a b'])
})

test('a value with a comma keeps its quotes, and other values lose them', () => {
  const script = `#PBS -v "LIST='a,b',PLAIN=c"\n#PBS -v 'TEXT="x y, z"'\nenv`
  const { argv } = torque.submit({ ...request, script }, 'm1')
  expect(argv.at(-1)).toBe(`FLOTILLA_MARK=m1,LIST='a,b',PLAIN=c,TEXT="x y, z"`)
})

test('the id is read in every format that sites print', () => {
  const { parse } = torque.submit(request, 'm1')
  const printed = (stdout: string) => parse({ code: 0, stdout, stderr: 'a note of the submit filter' })
  expect(printed('18.head.cluster.example.org\n')).toBe('18.head.cluster.example.org')
  expect(printed('18\n'), 'display_job_server_suffix = False').toBe('18')
  expect(printed('18[]\n')).toBe('18[]')
  expect(printed('Welcome to the cluster\n2026\n18.head\n')).toBe('18.head')
  expect(printed('Connection to server timed out. Trying again18.head\n')).toBe('18.head')
  expect(() => printed('see you\n')).toThrow('qsub')
})

test('the time limit is extended in seconds', () => {
  expect(torque.extend('12.head', 5400).argv).toEqual(['qalter', '-l', 'walltime=5400', '12.head'])
})

test('a directive of the script that a command option overrides is reported to have no effect', () => {
  const { argv } = torque.submit(request, 'm')
  const given = argv
    .slice(1)
    .join(' ')
    .split(/ (?=-[a-zA-Z] )/)
    .filter((option) => !option.startsWith('-v'))
  const notes = directiveNotes(
    { name: request.name, data: { array: '', ...request } },
    given.map((option) => `#PBS ${option}\n`).join(''),
    'torque',
  )
  expect(notes.filter((note) => !note.includes('has no effect'))).toEqual([])
  expect(notes).toHaveLength(given.length)
})

test('the preview is a script that qsub accepts unchanged', () => {
  expect(torque.preview(request)).toBe(`#!/bin/bash
#PBS -N solve
#PBS -l nodes=2:ppn=4:gpus=1
#PBS -l walltime=26:00:00
#PBS -d /home/ann
#PBS -w /home/ann
#PBS -o /home/ann/out.txt
#PBS -j oe
mpirun ./solve
`)
})

test('any name is converted to one that Torque accepts', () => {
  for (const name of ['a\nb', '-h', '1st', '日本語', ' ', 'ü "x" | y', 'x'.repeat(500), '$(id)']) {
    const { argv } = torque.submit({ ...request, name }, 'm')
    expect(argv[2]).toMatch(/^[A-Za-z][!-~]{0,255}$/)
  }
})

test('every recorded failure has an error code', () => {
  const result = (command: string): CommandResult => {
    const all = recorded('commands-and-errors.txt')
    const found = all.slice(all.indexOf(`${command}\n`) + command.length + 1)
    const [text = '', code] = found.split(/\[rc=(\d+)\]/)
    return { code: Number(code), stdout: '', stderr: text }
  }
  const submit = torque.submit(request, 'm').parse
  const expected: [(result: CommandResult) => unknown, string, string][] = [
    [submit, 'alice$ qsub -q nope ok.sh', 'bad_queue'],
    [submit, 'alice$ qsub -l nodes=99 ok.sh', 'infeasible'],
    [submit, 'alice$ qsub -l nodes=nosuch ok.sh', 'infeasible'],
    [submit, 'alice$ qsub /nonexistent', 'invalid'],
    [submit, 'root# qsub ok.sh', 'not_permitted'],
    [torque.cancel('9').parse, 'alice$ qdel 999.head', 'unknown_job'],
    [torque.jobDetail('9').parse, 'alice$ qstat 999', 'unknown_job'],
    [torque.drain('tn02', 'x').parse, 'alice$ pbsnodes -o tn02', 'not_permitted'],
  ]
  for (const [parse, command, code] of expected)
    expect(() => parse(result(command)), command).toThrow(expect.objectContaining({ code }))
  const silent = (code: number) => ({ code, stdout: '', stderr: '' })
  expect(() => torque.cancel('75.head').parse(silent(224))).toThrow(
    expect.objectContaining({ code: 'node_down' }),
  )
  expect(torque.purge?.('75.head').argv).toEqual(['qdel', '-p', '75.head'])
  const unauthorized = 'qdel: Unauthorized Request  MSG=operation not permitted 43.head'
  const refused = () => torque.purge?.('43.head').parse({ code: 159, stdout: '', stderr: unauthorized })
  expect(refused, 'an operator may cancel, but not purge').toThrow(/only its managers.*set server managers/)
  expect(submit(silent(0)), 'with -z it prints no id').toBe('')
  const failing = (stderr: string) => () => submit({ code: 1, stdout: '', stderr })
  for (const away of [
    'qsub: cannot connect to server head (errno=111) Connection refused',
    'qsub: cannot connect to server head (errno=110) Connection timed out',
    'qsub: submit error (Pbs Server is currently too busy to service this request. Please retry this request.)',
    'qsub: submit error (Request not allowed: Server shutting down)',
  ])
    expect(failing(away), away).toThrow(
      expect.objectContaining({ code: 'controller_down', notDelivered: true }),
    )
  expect(
    failing('qsub:\tstandard input and output must be a terminal for \n\tinteractive job submission'),
  ).toThrow(expect.objectContaining({ code: 'invalid', message: expect.stringContaining('-I') }))
  for (const broken of [
    'submit error (Time out)',
    'submit error (End of File)',
    'Communication failure',
    'submit error (Socket close detected)',
    'submit error (Error reading data from socket)',
    'submit error (Bad DIS based Request Protocol)',
  ])
    expect(failing(broken), broken).toThrow(
      expect.objectContaining({ code: 'controller_down', notDelivered: false }),
    )
  expect(() => submit(silent(172))).toThrow(expect.objectContaining({ code: 'bad_queue' }))
  expect(() => submit(silent(9))).toThrow(expect.objectContaining({ code: 'unknown' }))
  expect(() =>
    torque.queue().parse({ ...silent(1), stderr: 'qstat: cannot connect to server head (errno=15133)' }),
  ).toThrow(expect.objectContaining({ code: 'controller_down' }))
  expect(() =>
    torque
      .nodeDetail('x')
      .parse({ ...silent(1), stderr: 'pbsnodes: Unknown node  MSG=cannot locate specified node' }),
  ).toThrow(expect.objectContaining({ code: 'invalid' }))
  expect(torque.nodes().parse({ ...silent(2), stderr: 'pbsnodes: No nodes found' })).toEqual([])
  expect(torque.queue().parse(silent(0))).toEqual([])
})
