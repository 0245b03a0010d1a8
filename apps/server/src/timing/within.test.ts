import { expect, it } from 'vitest'
import { within } from './within'

const never = new Promise<string>(() => {})

it('gives the answer that is there in time, or its failure', async () => {
  expect(await within(60_000, Promise.resolve('well'))).toBe('well')
  await expect(within(60_000, Promise.reject(new Error('away')))).rejects.toThrow('away')
})

it('waits no longer than it may', async () => {
  expect(await within(1, never)).toBeUndefined()
  expect(await within(1, never, () => 'as before')).toBe('as before')
  const fails = (): never => {
    throw new Error('no response')
  }
  await expect(within(1, never, fails)).rejects.toThrow('no response')
})

it('ignores a failure that comes too late', async () => {
  let fail = (_error: Error) => {}
  const work = new Promise<string>((_resolve, reject) => (fail = reject))
  expect(await within(1, work)).toBeUndefined()
  fail(new Error('away'))
})
