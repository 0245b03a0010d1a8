import { expect, it } from 'vitest'
import { batched } from './batched'

it('one call serves all inputs of an interval, and each caller gets its own result', async () => {
  const calls: number[][] = []
  const double = batched(10, async (all: number[]) => {
    calls.push(all)
    return all.map((one) => one * 2)
  })
  expect(await Promise.all([double(1), double(2), double(3)])).toEqual([2, 4, 6])
  expect(await double(4)).toBe(8)
  expect(calls).toEqual([[1, 2, 3], [4]])
})

it('a failure rejects every call of its batch, and the next batch works again', async () => {
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
