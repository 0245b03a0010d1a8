import { expect, test } from 'vitest'
import { expandNodes } from './node-list'
import { countTasks, withoutSteps } from './request'

test("the names behind Slurm's short form", () => {
  expect(expandNodes('n[1-3,05-06],gpu1')).toEqual(['n1', 'n2', 'n3', 'n05', 'n06', 'gpu1'])
  expect(expandNodes('r[0-1]n[08-10]-ib')).toHaveLength(6)
  expect(expandNodes('tn02,tn01')).toEqual(['tn02', 'tn01'])
  expect(expandNodes('')).toEqual([])
})

test('tasks of an array', () => {
  expect(['7', '0-9', '1-9:2', '1,5,7-8%2', '0-99%5'].map(countTasks)).toEqual([1, 10, 5, 4, 100])
  expect(withoutSteps('1-3,5-9:2,11%4')).toBe('1-3,5,7,9,11%4')
})
