import { expect, it } from 'vitest'
import { within } from './within'

const never = new Promise<string>(() => {})

it('work that ends in time returns its result or its error', async () => {
  expect(await within(60_000, Promise.resolve('well'))).toBe('well')
  await expect(within(60_000, Promise.reject(new Error('away')))).rejects.toThrow('away')
})

it('work that takes too long is replaced by undefined, a fallback or an error', async () => {
  expect(await within(1, never)).toBeUndefined()
  expect(await within(1, never, () => 'as before')).toBe('as before')
  const fails = (): never => {
    throw new Error('no response')
  }
  await expect(within(1, never, fails)).rejects.toThrow('no response')
})

it('a failure after the timeout is ignored', async () => {
  let fail = (_error: Error) => {}
  const work = new Promise<string>((_resolve, reject) => (fail = reject))
  expect(await within(1, work)).toBeUndefined()
  fail(new Error('away'))
})
