import { expect, test } from 'vitest'
import { countNodes, expandNodes, firstNode, isInNodeList } from './node-list'
import { placed } from './placement'
import { countTasks, withoutSteps } from './request'
import { slurm } from './slurm'
import { gpus } from './slurm/values'
import { torque } from './torque'
import { queuedJob } from '../../test/support/app/queued-job'
import { soakIt } from '../../test/support/soak'

test("Slurm's compact node lists are expanded", () => {
  expect(expandNodes('n[1-3,05-06],gpu1')).toEqual(['n1', 'n2', 'n3', 'n05', 'n06', 'gpu1'])
  expect(expandNodes('r[0-1]n[08-10]-ib')).toHaveLength(6)
  expect(expandNodes('tn02,tn01')).toEqual(['tn02', 'tn01'])
  expect(expandNodes('')).toEqual([])
})

test('a name is found in a compact list by the same rules', () => {
  for (const list of ['n[1-3,05-06],gpu1', 'r[0-1]n[08-10]-ib', 'tn02,tn01', 'a[1-2]0b[3][4-5]', 'n[9-11]'])
    for (const name of expandNodes(list)) expect(isInNodeList(list, name), `${name} in ${list}`).toBe(true)
  for (const [list, name] of [
    ['n[1-3]', 'n4'],
    ['n[1-3]', 'n01'],
    ['n[01-03]', 'n1'],
    ['n[1-3]', 'n'],
    ['n[1-3]', 'n1x'],
    ['n[x]', 'nx'],
    ['', ''],
  ] as const)
    expect(isInNodeList(list, name), `${name} in ${list}`).toBe(false)
})

test('counting names and finding the first one agree with the expanded list', () => {
  const large = 'cn[00001-10000],gpu-a[0-1]b2'
  expect([countNodes(large), firstNode(large)]).toEqual([10_002, 'cn00001'])
  expect(expandNodes(large)).toHaveLength(10_002)
  for (const list of ['n[1-3,05-06],gpu1', 'r[0-1]n[08-10]-ib', 'tn02,tn01', 'n[x],m1', '', 'n[x]'])
    expect([countNodes(list), firstNode(list)], list).toEqual([
      expandNodes(list).length,
      expandNodes(list)[0] ?? '',
    ])
})

/** Lists that a malicious head node could report. They must be rejected quickly, however many nodes they stand for. */
const hostile = [
  'n[1-4000000]',
  'n[1-9999999999]',
  'n[1-999][1-999][1-999]',
  '[1]'.repeat(100_000),
  '['.repeat(1_000_000),
  `n[${'1-9,'.repeat(200_000)}1]`,
  'n[1-90000],m[1-90000]',
  `${'n'.repeat(150_000)}[1-90000]`,
]

test('a list of implausibly many nodes is not expanded, but can still be searched', () => {
  for (const list of hostile) {
    expect(() => expandNodes(list), list.slice(0, 40)).toThrow('more than 100,000 nodes')
    expect(countNodes(list), list.slice(0, 40)).toBeGreaterThan(100_000)
    expect(firstNode(list).length, list.slice(0, 40)).toBeLessThan(20)
    expect(isInNodeList(list, '1'.repeat(64)), list.slice(0, 40)).toBe(false)
  }
  expect(isInNodeList('n[1-9999999999]', 'n1')).toBe(true)
  expect(
    placed(
      [],
      Array.from({ length: 100_000 }, () => job),
    ),
  ).toEqual([])
})

const job = queuedJob({ id: '1', state: 'running', nodeList: 'n1' })

soakIt(
  'endless output is rejected before it fills the memory, and malformed output does not cause slow matching',
  () => {
    const printed = (stdout: string, code = 0, stderr = '') => ({ code, stdout, stderr, signal: null })
    const queue = (stdout: string) => () => slurm.queue().parse(printed(stdout))
    expect(queue(`{"jobs":[${'{},'.repeat(600_000)}{}]}`)).toThrow('more than 500,000 jobs')
    expect(queue(`{"jobs":[${'{},'.repeat(2_000_000)}{}]}`)).toThrow('more than 500,000 jobs')
    expect(() => slurm.nodes().parse(printed('NodeName=x\n'.repeat(200_000)))).toThrow(
      'more than 100,000 nodes',
    )
    const xml = (name: string, count: number) => `<Data>${`<${name}></${name}>`.repeat(count)}</Data>`
    expect(() => torque.queue().parse(printed(xml('Job', 600_000)))).toThrow('more than 500,000 jobs')
    expect(() => torque.nodes().parse(printed(xml('Node', 200_000)))).toThrow('more than 100,000 nodes')
    expect(gpus('('.repeat(1_000_000))).toBe(0)
    const [node] = slurm.nodes().parse(printed(`NodeName=x Reason=${' [a@'.repeat(500_000)}`))
    expect(node?.name).toBe('x')
    expect(() => torque.queue().parse(printed('', 1, 'state of job '.repeat(200_000)))).toThrow(
      'state does not allow',
    )
    const [, trace] = torque.history(['1.head'])
    expect(trace?.parse(printed(`Job: 1.head\n${' A  x'.repeat(500_000)}${'y'.repeat(500_000)}`))).toEqual([])
  },
)

test('the tasks of an array are counted and can be written without steps', () => {
  expect(['7', '0-9', '1-9:2', '1,5,7-8%2', '0-99%5'].map(countTasks)).toEqual([1, 10, 5, 4, 100])
  expect(withoutSteps('1-3,5-9:2,11%4')).toBe('1-3,5,7,9,11%4')
})
