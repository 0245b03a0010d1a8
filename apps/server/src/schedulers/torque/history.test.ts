import { expect, test } from 'vitest'
import { torque } from '../torque'
import { jobEnd } from './endings'
import { readTraces } from './history'
import { recorded, secondSite } from '../../../test/support/schedulers/torque/recordings'

test('a purged job that ran is not reported as canceled before it started', () => {
  const trace = (...lines: string[]) =>
    `Job: 75.head\n\n${lines.map((line) => `11/16/2026 00:45:18.712 S    ${line}\n`).join('')}`
  const [ran, waited] = [
    trace('Job Run at request of root@head', 'Job deleted at request of root@head'),
    trace('Job deleted at request of alice@head'),
  ].flatMap(readTraces)
  expect(ran).toMatchObject({ ending: 'canceled', reason: 'Canceled' })
  expect(waited).toMatchObject({ ending: 'canceled', reason: 'Canceled before it started' })
})

test('the ending of a job is read from its exit status', () => {
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

test('the end of a job is read from the log that every account may read', () => {
  const [, after = ''] = secondSite('tracejob.txt').split(/^tqops\$ .*$/m)
  const [ordinary = ''] = after.split('[rc=')
  expect(ordinary).not.toMatch(/ A {2,}/)
  expect(readTraces(ordinary)).toMatchObject([
    { id: '42.head', state: 'completed', ending: 'succeeded', exitCode: 0, used: { wallS: 8, memoryMb: 8 } },
  ])
})

test('each task of an array has its own trace', () => {
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

test('the end that a job recorded in its folder is read', () => {
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
