import { expect, it } from 'vitest'
import { arrayTasks } from './array'
import { JobInput } from './jobs'

it('counts the tasks of an array', () => {
  expect(['', '3', '1-10', '1-10,15', '1,3,5%2', '0-0'].map(arrayTasks)).toEqual([0, 1, 10, 11, 3, 1])
})

it('rejects arrays that would only fail on submission', () => {
  for (const array of [
    '10-1',
    '1-',
    ',',
    '1,,2',
    '1-3-5',
    '1-99:2',
    '1-10%0',
    '%4',
    '0-20000',
    '9999999999',
    'a',
  ])
    expect([array, arrayTasks(array)]).toEqual([array, null])
  const job = { name: 'many', data: { script: 'hostname', array: '10-1' } }
  expect(JobInput.safeParse(job).error?.issues[0]).toMatchObject({
    path: ['data', 'array'],
    message: expect.stringContaining('1-10'),
  })
})
