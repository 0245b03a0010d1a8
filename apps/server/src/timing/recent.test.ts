import { expect, it } from 'vitest'
import { recent } from './recent'

it('is not waited for when it hangs: the answer before it is given', async () => {
  let time = 0
  let answer = (_text: string) => {}
  const asked: Promise<string>[] = []
  const read = recent(
    () => {
      asked.push(new Promise((resolve) => (answer = resolve)))
      return asked.at(-1) as Promise<string> // just added
    },
    { everyMs: 60, timeoutMs: 1, now: () => time, atFirst: 'nothing yet' },
  )
  expect(await read()).toBe('nothing yet')
  answer('well')
  expect(await read()).toBe('well')
  expect(asked, 'not asked again').toHaveLength(1)
  time = 61
  expect(await read(), 'as it was, while the next answer is waited for').toBe('well')
  answer('down')
  expect(await read()).toBe('down')
  expect(asked).toHaveLength(2)
})

it('asks again after a failure', async () => {
  let fails = true
  const ask = () => (fails ? Promise.reject(new Error('away')) : Promise.resolve('back'))
  const read = recent(ask, { everyMs: 60_000, timeoutMs: 1000, now: () => 0, atFirst: '' })
  await expect(read()).rejects.toThrow('away')
  fails = false
  expect(await read()).toBe('back')
})
