import { expect, it } from 'vitest'
import { observedJobs, isPlausible } from './observed-jobs'

const record = { id: '1', name: 'a', user: 'ada', state: 'ended', nodes: 4, cores: 4, gpus: 0, startTime: 0 }
const nodesOf = (nodeList: string) =>
  observedJobs([{ ...record, nodeList }], { sizeOf: new Map() }, { recorded: true })[0]?.nodeList

it('expands names with several brackets, in which no node would be found', () => {
  expect(nodesOf('rack[1-2]n[1-2],login')).toBe('rack1n1,rack1n2,rack2n1,rack2n2,login')
})

it('leaves every other list unchanged', () => {
  for (const list of ['n[1-3,7],gpu[1-2]', 'n1,n2', '']) expect(nodesOf(list)).toBe(list)
})

it('parses a hostile node list only once and expands none that is too long', () => {
  const list = ']'.repeat(199_999)
  expect(nodesOf(list)).toBe(list)
  expect(nodesOf('n[0-315]m[0-315]')).toBe('')
  expect(nodesOf('n,'.repeat(200_000))).toBe('')
})

it('expands no more names for many hostile jobs than the jobs of a large cluster have', () => {
  const costs = { sizeOf: new Map([['rack1n1', 'large']]) }
  const save = (lists: string[]) =>
    observedJobs(
      lists.map((nodeList) => ({ ...record, nodeList })),
      costs,
      { recorded: true },
    )
  const hostile = Array.from({ length: 10_000 }, (_, index) => `a[1-300]b[1-${(index % 100) + 200}]`)
  expect(save(hostile).every(({ nodeList }) => nodeList === '')).toBe(true)
  const within = Array.from({ length: 10_000 }, (_, index) => `a[1-40]b[${index}-${index + 49}]`)
  expect(save(within).filter(({ nodeList }) => nodeList !== '')).toHaveLength(250)
  const [first, last] = [
    save(Array.from({ length: 10_000 }, () => 'rack[1-40]n[1-50]')),
    save(['x[1-90000]']),
  ]
  expect(first.every(({ nodeList, size }) => nodeList.length > 10_000 && size === 'large')).toBe(true)
  expect(last).toMatchObject([{ nodeList: 'x[1-90000]', size: '' }])
})

it('does not count jobs that ended in the future or ran for many years', () => {
  const now = Date.UTC(2026, 10)
  const is = (startTime: number, endTime?: number) =>
    isPlausible({ ...record, nodeList: '', startTime, ...(endTime !== undefined && { endTime }) }, now)
  expect(is(now - 86_400_000)).toBe(true)
  expect(is(now - 86_400_000, now)).toBe(true)
  expect([is(1000), is(1000, now), is(now, 16e12), is(16e12)]).toEqual([false, false, false, false])
})
