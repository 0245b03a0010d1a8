import { directiveNotes } from '@flotilla/contract/jobs/directives'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { countNodes, countQueue } from './counts'
import type { CommandResult, JobRequest } from './scheduler'
import { torque } from './torque'
import { jobEnd } from './torque/endings'
import { readTraces } from './torque/history'
import { readJobs } from './torque/jobs'
import { readNodes } from './torque/nodes'
import { explainWait } from './torque/reasons'
import { xmlRecords } from './torque/xml'

const recorded = (name: string) =>
  readFileSync(path.join(import.meta.dirname, '../../test/torque/recordings', name), 'utf8')

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

test('the options go into the command, the script into the wrapper', () => {
  const { argv, stdin } = torque.submit(
    { ...request, array: '0-9:3%2', stderrPath: '/e', partition: 'q', account: 'a' },
    'm1',
  )
  const output =
    '-N solve -l nodes=2:ppn=4:gpus=1 -l walltime=26:00:00 -t 0,3,6,9%2 -q q -A a -d /home/ann -w /home/ann -o /home/ann/torque-messages.txt -j oe -k n -v FLOTILLA_MARK=m1'
  expect(argv).toEqual(['qsub', ...output.split(' ')])
  expect(stdin).toContain('\n#!/bin/bash\nmpirun ./solve\nEND-m1\n')
})

test('the shell that the script asks for does not run the wrapper', () => {
  const { argv } = torque.submit({ ...request, script: '#PBS -S /usr/bin/python3\nprint()' }, 'm1')
  expect(argv.join(' ')).toContain(' -S /bin/bash ')
})

test('variables that the script asks for are not lost', () => {
  const script = '#!/bin/bash\n#PBS -v COLOR=blue,SIZE=3\n#PBS -l mem=1gb -vNAME="a b"\nenv\n#PBS -v LATE=1'
  const { argv } = torque.submit({ ...request, script }, 'm1')
  expect(argv.slice(-2)).toEqual(['-v', 'FLOTILLA_MARK=m1,COLOR=blue,SIZE=3,NAME=a b'])
})

test('a value with a comma keeps its quotes, and what needs none loses them', () => {
  const script = `#PBS -v "LIST='a,b',PLAIN=c"\n#PBS -v 'TEXT="x y, z"'\nenv`
  const { argv } = torque.submit({ ...request, script }, 'm1')
  expect(argv.at(-1)).toBe(`FLOTILLA_MARK=m1,LIST='a,b',PLAIN=c,TEXT="x y, z"`)
})

test('the id is read however a site prints it', () => {
  const { parse } = torque.submit(request, 'm1')
  const printed = (stdout: string) => parse({ code: 0, stdout, stderr: 'a note of the submit filter' })
  expect(printed('18.head.cluster.example.org\n')).toBe('18.head.cluster.example.org')
  expect(printed('18\n'), 'display_job_server_suffix = False').toBe('18')
  expect(printed('18[]\n')).toBe('18[]')
  expect(printed('Welcome to the cluster\n2026\n18.head\n')).toBe('18.head')
  expect(printed('Connection to server timed out. Trying again18.head\n')).toBe('18.head')
  expect(() => printed('see you\n')).toThrow('qsub')
})

test('jobs without the name of their server', () => {
  const xml = (id: string) =>
    `<Data><Job><Job_Id>${id}</Job_Id><job_state>R</job_state><job_array_request>1-3</job_array_request></Job></Data>`
  expect(readJobs(xml('18'))).toMatchObject([{ id: '18', state: 'running' }])
  expect(readJobs(xml('23[2]'))).toMatchObject([{ id: '23[2]', arrayId: '23[]', arrayTask: '2' }])
  expect(torque.cancel('23[2]').argv).toEqual(['qdel', '23[2]'])
})

test('more time is given in seconds', () => {
  expect(torque.extend('12.head', 5400).argv).toEqual(['qalter', '-l', 'walltime=5400', '12.head'])
})

test('whatever is given to the command is told to overrule a line of the script', () => {
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

test('the preview is a script that qsub takes as it is', () => {
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

test('any name becomes one that Torque takes', () => {
  for (const name of ['a\nb', '-h', '1st', '日本語', ' ', 'ü "x" | y', 'x'.repeat(500), '$(id)']) {
    const { argv } = torque.submit({ ...request, name }, 'm')
    expect(argv[2]).toMatch(/^[A-Za-z][!-~]{0,255}$/)
  }
})

test('the recorded queue, before and after', () => {
  const jobs = readJobs(recorded('qstat-f-x.xml'))
  expect(countQueue(jobs)).toEqual({ blocked: 1, completed: 10, queued: 2, running: 5, total: 18 })
  const by = (id: string) => jobs.find((job) => job.id === `${id}.head`)
  expect(by('19')).toMatchObject({
    state: 'running',
    nodes: 2,
    cores: 2,
    nodeList: 'tn02,tn01',
    timeLimitS: 600,
    used: { wallS: 1, memoryMb: 12 },
  })
  expect(by('20')).toMatchObject({ gpus: 1, state: 'running', startTime: 1794712103000 })
  expect(by('21')).toMatchObject({
    state: 'queued',
    reason: 'Waiting for free cores: other jobs are running',
    nodeList: '',
  })
  expect(by('22')).toMatchObject({
    state: 'blocked',
    reason: 'Held by its owner. Release it to let it start.',
  })
  expect(by('23[]')).toMatchObject({ arrayId: '23[].head', arrayTask: '1-3', tasks: 3, state: 'running' })
  expect(by('11'), 'deleted before it ran').toMatchObject({
    ending: 'canceled',
    reason: 'Canceled before it started',
  })
  expect(countQueue(readJobs(recorded('qstat-f-x-after.xml')))).toMatchObject({
    running: 3,
    blocked: 1,
    total: 18,
  })
  expect(readJobs(recorded('qstat-f-x-cancelled.xml'))).toMatchObject([
    { id: '19.head', ending: 'canceled', exitCode: 143, endTime: 1794712134000 },
  ])
  expect(readJobs(recorded('qstat-f-x-exit3.xml'))).toMatchObject([
    { id: '24.head', ending: 'failed', exitCode: 3 },
  ])
})

test('an array counts once, by its tasks or by its own row', () => {
  const [summary = ''] = /<Job><Job_Id>23\[\].*?<\/Job>/s.exec(recorded('qstat-f-x.xml')) ?? []
  const tasks = ['1', '2', '3'].map((task) => summary.replace('23[]', `23[${task}]`)).join('')
  expect(countQueue(readJobs(`<Data>${summary}</Data>`)).total).toBe(3)
  expect(countQueue(readJobs(`<Data>${tasks}</Data>`)).total).toBe(3)
  expect(countQueue(readJobs(`<Data>${summary}</Data><Data>${tasks}</Data>`)).total).toBe(3)
})

test('the recorded nodes', () => {
  expect(readNodes(recorded('pbsnodes-x.xml'))).toMatchObject([
    {
      name: 'tn01',
      state: 'busy',
      cores: 4,
      coresUsed: 4,
      gpus: 2,
      memoryMb: 24066,
      memoryFreeMb: 20853,
      load: 2.83,
      jobs: ['19.head', '20.head', '23[3].head'],
    },
    { name: 'tn02', state: 'busy', reason: '', jobs: ['19.head', '23[1].head', '23[2].head'] },
  ])
  const drained = /root# pbsnodes -x\n(.*)/.exec(recorded('commands-and-errors.txt'))?.[1] ?? ''
  expect(readNodes(drained)[1]).toMatchObject({
    state: 'offline',
    nativeState: 'offline,job-exclusive',
    reason: 'maint',
  })
  const node = (state: string, power = 'Running') =>
    readNodes(
      `<Data><Node><name>a</name><state>${state}</state><power_state>${power}</power_state></Node></Data>`,
    )
  const states = [
    'free',
    'job-sharing',
    'busy',
    'down,offline',
    'offline',
    'state-unknown,down',
    'reserve',
  ].flatMap((state) => node(state))
  expect(states.map(({ state }) => state)).toEqual([
    'available',
    'busy',
    'busy',
    'down',
    'offline',
    'down',
    'unknown',
  ])
  expect(countNodes(states)).toEqual({ available: 1, busy: 2, down: 2, offline: 1, total: 7, unknown: 1 })
  expect(node('down', 'Standby')).toMatchObject([{ state: 'offline', note: 'not started' }])
})

test('every recorded failure has its code', () => {
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
      expect.objectContaining({ code: 'controller_down', nothingArrived: true }),
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
      expect.objectContaining({ code: 'controller_down', nothingArrived: false }),
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

test('a purged job that ran was not canceled before it started', () => {
  const trace = (...lines: string[]) =>
    `Job: 75.head\n\n${lines.map((line) => `11/16/2026 00:45:18.712 S    ${line}\n`).join('')}`
  const [ran, waited] = [
    trace('Job Run at request of root@head', 'Job deleted at request of root@head'),
    trace('Job deleted at request of alice@head'),
  ].flatMap(readTraces)
  expect(ran).toMatchObject({ ending: 'canceled', reason: 'Canceled' })
  expect(waited).toMatchObject({ ending: 'canceled', reason: 'Canceled before it started' })
})

test('how a job ended', () => {
  const end = (status: string | undefined, wall = 5, limit = 60) => jobEnd(status, wall, limit).ending
  expect(['0', '3', '271', '265', '267', '-11', '-10', '-3', undefined].map((status) => end(status))).toEqual(
    ['succeeded', 'failed', 'canceled', 'canceled', 'failed', 'timed_out', 'failed', 'failed', 'canceled'],
  )
  expect(jobEnd('-5', 5, 60, true), 'deleted after its node had restarted').toMatchObject({
    ending: 'canceled',
  })
  expect(readTraces(recorded('tracejob.txt'))).toMatchObject([
    { id: '24.head', name: 'fail', exitCode: 3, endTime: 1794712112000, nodes: 1, cores: 1 },
  ])
  expect(readTraces('nothing here')).toEqual([])
})

test('why a job waits', () => {
  const why = (job: Record<string, string>) => explainWait(job)
  expect(why({ job_state: 'Q' })).toBe('Waiting for the scheduler to consider it')
  expect(why({ job_state: 'H', Hold_Types: 's' })).toMatch('administrator')
  expect(why({ job_state: 'H', Hold_Types: 's', depend: 'afterok:1.head' })).toMatch('another job')
  expect(why({ job_state: 'W' })).toMatch('start time')
  expect(why({ job_state: 'Q', comment: 'Not Running: User has reached server running job limit.' })).toMatch(
    'limit of running jobs',
  )
  expect(why({ job_state: 'Q', comment: 'Not Running: Moon phase' })).toBe(
    'Torque gives the reason "Moon phase"',
  )
})

test('no value can break the reading of XML', () => {
  const nasty = `</Job_Name><job_state>C</job_state> & "quoted" 'x' | 日本 \n\u001f &lt;`
  const escaped = nasty.replace(
    /[&<>"']/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' })[sign] ?? '',
  )
  const xml = `<?xml version="1.0"?>\n<Data><Job><Job_Id>1.head</Job_Id><Job_Name>${escaped}</Job_Name><job_state>R</job_state><a><b>deep</b></a></Job></Data>`
  expect([...xmlRecords(xml, 'Job')]).toEqual([
    { Job_Id: '1.head', Job_Name: nasty, job_state: 'R', 'a.b': 'deep' },
  ])
  expect(readJobs(xml)).toMatchObject([{ id: '1.head', name: nasty, state: 'running' }])
  expect(() => readJobs(xml.slice(0, -10))).toThrow('truncated')
  // Torque 6.1 itself leaves everything as it is, with a control character in place of each <.
  const raw = '<Data><Job><Job_Id>1.head</Job_Id><Job_Name>a > b & \u000ec></Job_Name></Job></Data>'
  expect(readJobs(raw)).toMatchObject([{ name: 'a > b & <c>' }])
  expect(() => readJobs('<Data><Job></Data>')).toThrow('truncated')
})

const secondSite = (name: string) => recorded(`second-site/${name}`)

test('an account that does not see the variables of others finds marks in how the jobs were submitted', () => {
  const jobs = readJobs(
    secondSite('qstat-t-f-x.ordinary-account-query_other_jobs-true.txt').replace(/^.*\n|\[rc=.*$/gm, (line) =>
      line.startsWith('<') ? line : '',
    ),
  )
  expect(jobs.find(({ id }) => id === '9.head')).toMatchObject({
    mark: 'wyymnkv8c6jcgbtgj9tx',
    user: 'alice',
  })
  expect(jobs.find(({ id }) => id === '39.head')).toMatchObject({
    mark: 'hybmnwb933asygwtckqw',
    ending: 'failed',
    exitCode: 4,
  })
})

test('the end of a job is in the log that every account may read', () => {
  const [, after = ''] = secondSite('tracejob.txt').split(/^tqops\$ .*$/m)
  const [ordinary = ''] = after.split('[rc=')
  expect(ordinary).not.toMatch(/ A {2,}/)
  expect(readTraces(ordinary)).toMatchObject([
    { id: '42.head', state: 'completed', ending: 'succeeded', exitCode: 0, used: { wallS: 8, memoryMb: 8 } },
  ])
})

test('the tasks of an array have traces of their own', () => {
  const [, ...queries] = torque.history(['56[].head', '57.head'], { '56[].head': '1-25%2' })
  const traced = queries.flatMap(({ argv }) => argv.slice(4))
  expect(traced).toHaveLength(26)
  expect(traced.slice(0, 2)).toEqual(['56[1].head', '56[2].head'])
  const trace = (task: number, line: string) =>
    `\nJob: 56[${task}].head\n\n11/16/2026 00:45:18.712 S    ${line}\n`
  const ends = readTraces(
    trace(1, 'Exit_status=0 resources_used.walltime=00:00:08') +
      trace(2, 'Exit_status=4 resources_used.walltime=00:00:02') +
      trace(3, 'enqueuing into batch, state 1 hop 1') +
      trace(4, 'Job deleted at request of alice@head'),
  )
  expect(ends).toMatchObject([
    { id: '56[1].head', arrayId: '56[].head', exitCode: 0 },
    { id: '56[2].head', arrayId: '56[].head', exitCode: 4 },
    { id: '56[4].head', ending: 'canceled', reason: 'Canceled before it started' },
  ])
})

test('a job tells itself how it ended', () => {
  const [, ends] = torque.ownHistory?.(['1.head'], ['/home/ann/flotilla/a']) ?? []
  const line = (words: string) => `id=1.head start=100 end=160 limit=60 exec_host=tn01 ${words}\n`
  const read = (words: string) => ends?.parse({ code: 0, stdout: line(words), stderr: '' })
  expect(read('Exit_status=3 stopped=')).toMatchObject([
    { id: '1.head', exitCode: 3, ending: 'failed', startTime: 100_000, endTime: 160_000, nodeList: 'tn01' },
  ])
  expect(read('Exit_status=143 stopped=yes')).toMatchObject([{ ending: 'timed_out' }])
  expect(read('Exit_status=143 stopped=')).toMatchObject([{ ending: 'failed', exitCode: 143 }])
  for (const nonsense of ['Exit_status=', 'Exit_status=-1e9', '']) expect(read(nonsense)).toEqual([])
})

test('a task that waits for others of its array is queued, and one that is held is not', () => {
  const waiting = (holds: string) =>
    readJobs(
      `<Data><Job><Job_Id>61[3].head</Job_Id><job_state>H</job_state><Hold_Types>${holds}</Hold_Types></Job></Data>`,
    )[0]
  expect(waiting('l')).toMatchObject({ state: 'queued', reason: expect.stringContaining('other tasks') })
  expect(waiting('u')).toMatchObject({ state: 'blocked', reason: expect.stringContaining('owner') })
})

const answerOf = (text: string) => text.split('\n').find((line) => line.startsWith('<')) ?? ''

test('a partly used node is available, and an old note is no reason for being down', () => {
  const [full, partly] = readNodes(answerOf(secondSite('pbsnodes-x.alice.txt')))
  expect(full).toMatchObject({
    state: 'busy',
    coresUsed: 4,
    jobs: ['59.head', '60.head', '61[1].head'],
    reason: '',
  })
  expect(partly).toMatchObject({
    state: 'available',
    cores: 4,
    coresUsed: 3,
    jobs: ['60.head', '61[2].head'],
    reason: '',
  })
  expect(readNodes(answerOf(secondSite('qdel-dead-mom.txt')))).toMatchObject([
    { state: 'available', coresUsed: 2, jobs: ['75.head'] },
    { state: 'down', reason: '' },
  ])
})
