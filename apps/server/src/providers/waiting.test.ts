import { describe, expect, it } from 'vitest'
import { forEach, makeUntil, unlessNotFound } from './waiting'

const never = new AbortController().signal

describe('waiting for a cloud', () => {
  it('polls until the condition holds', async () => {
    let polls = 0
    await makeUntil(1)('it is so', async () => ++polls === 3, never)
    expect(polls).toBe(3)
  })

  it('times out with a message that contains the condition', async () => {
    await expect(makeUntil(1, 0)('i-1 is stopped', async () => false, never)).rejects.toThrow(
      'i-1 is stopped',
    )
  })

  it('ends at once if it is canceled, without another poll', async () => {
    const stop = new AbortController()
    let polls = 0
    const waiting = makeUntil(60_000)('it is so', async () => ++polls === 0, stop.signal)
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    expect(polls).toBe(1)
  })

  it('processes all items even if one fails', async () => {
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

  it('ignores only errors for missing resources', async () => {
    const isNotFound = (error: unknown) => error instanceof Error && error.message === 'gone'
    expect(await unlessNotFound(Promise.resolve(1), isNotFound)).toBe(1)
    expect(await unlessNotFound(Promise.reject(new Error('gone')), isNotFound)).toBeUndefined()
    await expect(unlessNotFound(Promise.reject(new Error('no')), isNotFound)).rejects.toThrow('no')
  })
})
