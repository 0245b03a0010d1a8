import { expect, it } from 'vitest'
import { nextFailed, tasksOf } from './tasks'

it('sorts tasks by number and finds the next failed task, starting over at the end', () => {
  const tasks = tasksOf([
    { state: 'failed', count: 2, tasks: '2,10' },
    { state: 'lost', count: 1, tasks: '30' },
    { state: 'completed', count: 9, tasks: '1,3-9,11' },
  ])
  expect(tasks.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 30])
  expect([1, 2, 10, 30].map((after) => nextFailed(tasks, after)?.number)).toEqual([2, 10, 30, 2])
  expect(nextFailed(tasksOf([{ state: 'completed', count: 3, tasks: '1-3' }]), 1)).toBeUndefined()
})
