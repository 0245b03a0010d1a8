import { expect, it } from 'vitest'
import { batched } from './batched'

it('answers each what it asked for, with one call for all that came within a moment', async () => {
  const calls: number[][] = []
  const double = batched(10, async (all: number[]) => {
    calls.push(all)
    return all.map((one) => one * 2)
  })
  expect(await Promise.all([double(1), double(2), double(3)])).toEqual([2, 4, 6])
  expect(await double(4)).toBe(8)
  expect(calls).toEqual([[1, 2, 3], [4]])
})

it('tells everyone of a failure, and continues with the next', async () => {
  let fails = true
  const work = batched(10, async (all: string[]) => {
    if (fails) throw new Error('no')
    return all
  })
  const both = await Promise.allSettled([work('a'), work('b')])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect(await work('c')).toBe('c')
})
