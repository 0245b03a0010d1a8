import { expect, it } from 'vitest'
import { recent } from './recent'

it('while a query hangs, callers get the previous answer', async () => {
  let time = 0
  let answer = (_text: string) => {}
  const queries: Promise<string>[] = []
  const read = recent(
    () => {
      queries.push(new Promise((resolve) => (answer = resolve)))
      return queries.at(-1) as Promise<string> // just added
    },
    { everyMs: 60, timeoutMs: 1, now: () => time, atFirst: 'nothing yet' },
  )
  expect(await read()).toBe('nothing yet')
  answer('well')
  expect(await read()).toBe('well')
  expect(queries, 'not queried again').toHaveLength(1)
  time = 61
  expect(await read(), 'the previous answer, while the next query is in progress').toBe('well')
  answer('down')
  expect(await read()).toBe('down')
  expect(queries).toHaveLength(2)
})

it('the next call queries again after a failure', async () => {
  let fails = true
  const query = () => (fails ? Promise.reject(new Error('away')) : Promise.resolve('back'))
  const read = recent(query, { everyMs: 60_000, timeoutMs: 1000, now: () => 0, atFirst: '' })
  await expect(read()).rejects.toThrow('away')
  fails = false
  expect(await read()).toBe('back')
})
