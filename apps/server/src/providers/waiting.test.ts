import { describe, expect, it } from 'vitest'
import { forEach, makeUntil, unlessGone } from './waiting'

const never = new AbortController().signal

describe('waiting for a cloud', () => {
  it('looks until it is so', async () => {
    let looks = 0
    await makeUntil(1)('it is so', async () => ++looks === 3, never)
    expect(looks).toBe(3)
  })

  it('gives up after its time, and says on what', async () => {
    await expect(makeUntil(1, 0)('i-1 is stopped', async () => false, never)).rejects.toThrow(
      'i-1 is stopped',
    )
  })

  it('ends at once when it is canceled, and asks no more', async () => {
    const stop = new AbortController()
    let looks = 0
    const waiting = makeUntil(60_000)('it is so', async () => ++looks === 0, stop.signal)
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    expect(looks).toBe(1)
  })

  it('does it for all, also when one fails', async () => {
    const done: number[] = []
    const work = forEach(
      Array.from({ length: 40 }, (_none, index) => index),
      async (item) => {
        if (item === 7) throw new Error('not this one')
        done.push(item)
      },
    )
    await expect(work).rejects.toThrow('not this one')
    expect(done).toHaveLength(39)
  })

  it('takes only what is gone for gone', async () => {
    const isGone = (error: unknown) => error instanceof Error && error.message === 'gone'
    expect(await unlessGone(Promise.resolve(1), isGone)).toBe(1)
    expect(await unlessGone(Promise.reject(new Error('gone')), isGone)).toBeUndefined()
    await expect(unlessGone(Promise.reject(new Error('no')), isGone)).rejects.toThrow('no')
  })
})
