import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { countQueue } from '../counts'
import { newFence } from '../fence'
import { readAccounting, readCompletion } from './history'
import { readJobs } from './jobs'
import { duration, gpus, megabytes } from './values'

const recorded = (name: string) =>
  readFileSync(
    path.join(import.meta.dirname, '../../../test/support/schedulers/slurm-recordings', name),
    'utf8',
  )

test('the recorded JSON of jobs and that of newer Slurm versions are read', () => {
  const jobs = readJobs(recorded('squeue-states.json'), '~')
  expect(countQueue(jobs)).toEqual({ blocked: 2, completed: 5, queued: 3, running: 2, total: 12 })
  const by = (id: string) => jobs.find((job) => job.id === id)
  expect(by('3')).toMatchObject({ ending: 'failed', exitCode: 3, endTime: 1794713154000 })
  expect(by('4')).toMatchObject({ ending: 'failed', exitCode: 137 })
  expect(by('6_[3-5]')).toMatchObject({
    arrayId: '6',
    tasks: 3,
    state: 'queued',
    nativeReason: 'JobArrayTaskLimit',
  })
  expect(by('6_1')).toMatchObject({
    arrayId: '6',
    arrayTask: '1',
    tasks: 1,
    state: 'running',
    nodeList: 'n1',
  })
  expect(readJobs(recorded('squeue.json'), '~')[1]).toMatchObject({
    gpus: 1,
    nodes: 2,
    cores: 2,
    timeLimitS: 600,
    state: 'running',
  })

  const number = (value: number) => ({ set: true, infinite: false, number: value })
  const newer = {
    job_id: 7,
    array_job_id: number(0),
    array_task_id: { set: false, infinite: false, number: 0 },
    job_state: ['FAILED'],
    state_reason: 'NonZeroExitCode',
    exit_code: {
      status: ['ERROR'],
      return_code: number(3),
      signal: { id: { set: false, number: 0 }, name: '' },
    },
    node_count: number(1),
    cpus: number(2),
    time_limit: { set: false, infinite: true, number: 0 },
    tres_per_node: 'gres/gpu:2',
    nodes: 'n1',
    name: 'new',
    start_time: number(10),
    end_time: number(20),
  }
  const [job] = readJobs(JSON.stringify({ jobs: [newer] }), '~')
  expect(job).toMatchObject({
    id: '7',
    state: 'completed',
    exitCode: 3,
    cores: 2,
    gpus: 2,
    startTime: 10_000,
    endTime: 20_000,
  })
  expect(job?.timeLimitS).toBeUndefined()
  expect(() => readJobs('{"jobs": 1}', '~')).toThrow('no list of jobs')
})

test('accounting: the memory of steps is added to their job', () => {
  const record = (...first: string[]) =>
    `${[...first, ...Array<string>(19 - first.length).fill('')].join('~~')}~~\n`
  const job = [
    '5_2',
    'TIMEOUT',
    '0:0',
    'ann',
    'batch',
    'proj',
    '2',
    '8',
    'cpu=8,gres/gpu=4,gres/gpu:a100=4',
    'n[1-2]',
    '100',
    '110',
    '170',
    '00:01:00',
    '60',
    '01:10.500',
    '',
    'evil\n~1~|x',
    '/w',
  ]
  const step = [
    '5_2.batch',
    'CANCELLED',
    '0:15',
    '',
    '',
    '',
    '1',
    '4',
    '',
    'n1',
    '',
    '',
    '',
    '',
    '60',
    '',
    '2048K',
    'batch',
    '',
  ]
  const waiting = ['6', 'PENDING', '0:0']
  expect(readAccounting(record(...job) + record(...step) + record(...waiting), '~~')).toMatchObject([
    {
      id: '5_2',
      arrayId: '5',
      ending: 'timed_out',
      nodes: 2,
      cores: 4,
      gpus: 2,
      name: 'evil\n~1~|x',
      used: { wallS: 60, cpuS: 70, memoryMb: 2 },
    },
  ])
  const completion = '17~~FAILED~~3:0~~100~~110~~120~~1~~1~~\n16~~FAILED~~3:0~~100~~110~~120~~1~~4~~\n'
  expect(readCompletion(completion, 'sacct: error: Unknown type ArrayJobId: 17', '~~')).toMatchObject([
    { id: '16', exitCode: 3, cores: 4, endTime: 120_000 },
  ])
})

test('no name can break parsing or forge another job', () => {
  const pieces = [
    '\n',
    '\u001e',
    '\u001f',
    '|',
    '~',
    '"',
    "'",
    ',',
    ':',
    '\\',
    '日本',
    '👩‍🚀',
    ' JobId=1 ',
    'RUNNING',
    '0',
    '\t',
    '%',
    '{',
    '<',
  ]
  // A fixed sequence makes failures reproducible.
  let seed = 42
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below
  const name = () => Array.from({ length: 1 + random(12) }, () => pieces[random(pieces.length)]).join('')
  const fence = newFence()
  const other = newFence()
  for (let round = 0; round < 300; round++) {
    const names = [name(), name() + other, name()]
    const rows = names.map((each, index) => [
      String(index),
      'RUNNING',
      'None',
      '0',
      'ann',
      'batch',
      '(null)',
      '1',
      '4',
      '4',
      'N/A',
      'N/A',
      'N/A',
      'n1',
      '1',
      '2',
      '3',
      '1:00',
      each,
      `x${each}`,
      each,
    ])
    const jobs = readJobs(
      rows.map((row) => row.map((field) => field + fence).join('') + '\n').join(''),
      fence,
    )
    expect(jobs.map((job) => [job.id, job.name])).toEqual(names.map((each, index) => [String(index), each]))
  }
  expect(() => readJobs(`1${fence}RUNNING${fence}`, fence)).toThrow('cannot be read')
})

test('values in Slurm’s formats are read', () => {
  expect(['5:00', '1:02:03', '1-00:00:00', '00:01.500', 'UNLIMITED', ''].map(duration)).toEqual([
    300,
    3723,
    86400,
    1,
    undefined,
    undefined,
  ])
  expect(
    [
      'gres:gpu:a100:2',
      'gres:gpu:1',
      'gpu',
      'gpu:a100',
      'gres/gpu:2,gres/nic:1',
      'gpu:a100:2(S:0),gpu:h100:1(S:1)',
      '(null)',
      'N/A',
      'cpu=4,mem=2G',
    ].map(gpus),
  ).toEqual([2, 1, 1, 1, 2, 3, 0, 0, 0])
  expect(['2048K', '1.5G', '', '1048576'].map(megabytes)).toEqual([2, 1536, undefined, 1])
})
