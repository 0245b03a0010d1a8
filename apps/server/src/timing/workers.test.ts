import { expect, it } from 'vitest'
import { eachOf } from './workers'

/** Work on each item that ends when the test resolves or rejects it. */
function slowWork() {
  const begun: number[] = []
  const ends = new Map<number, { resolve: () => void; reject: (error: Error) => void }>()
  const work = (item: number): Promise<void> => {
    begun.push(item)
    return new Promise((resolve, reject) => ends.set(item, { resolve, reject }))
  }
  const isOver = (all: Promise<void>) =>
    Promise.race([
      all.then(
        () => true,
        () => true,
      ),
      new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
    ])
  return { begun, ends, work, isOver }
}

it('runs a limited number of items at a time and starts the next when one is done', async () => {
  const { begun, ends, work, isOver } = slowWork()
  const all = eachOf([1, 2, 3], 2, work)
  expect(begun).toEqual([1, 2])
  ends.get(2)?.resolve()
  expect(await isOver(all)).toBe(false)
  expect(begun).toEqual([1, 2, 3])
  ends.get(1)?.resolve()
  ends.get(3)?.resolve()
  await all
})

it('starts no more items after a failure, and waits for those in progress', async () => {
  const { begun, ends, work, isOver } = slowWork()
  const all = eachOf([1, 2, 3], 2, work)
  all.catch(() => {})
  ends.get(1)?.reject(new Error('no'))
  expect(await isOver(all)).toBe(false)
  ends.get(2)?.resolve()
  await expect(all).rejects.toThrow('no')
  expect(begun).toEqual([1, 2])
})

it('starts no more items once it is aborted or the iterator is drained', async () => {
  const stop = new AbortController()
  const aborted: number[] = []
  await eachOf([1, 2, 3], 1, async (item) => void (aborted.push(item) === 2 && stop.abort()), stop.signal)
  expect(aborted).toEqual([1, 2])

  const waiting = [1, 2, 3].values()
  const begun: number[] = []
  let skipped: number[] = []
  await eachOf(waiting, 2, async (item) => {
    begun.push(item)
    if (item === 1) skipped = [...waiting]
  })
  expect(begun).toEqual([1])
  expect(skipped).toEqual([2, 3])
})
