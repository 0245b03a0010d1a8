import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Console } from './console'

let server: Console
let machine: string
beforeAll(async () => {
  server = await Console.start()
  machine = await server.thisMachine()
})
afterAll(() => server.stop())

describe('a job', () => {
  it('runs and its output is read', async () => {
    const submitted = await server.submit(machine, { script: 'echo hello' })
    expect(await server.ended(submitted.id)).toMatchObject({ state: 'completed', exitCode: 0 })
    expect(await server.output(submitted)).toBe('hello\n')
  })
})
