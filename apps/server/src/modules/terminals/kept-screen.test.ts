import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { until } from '../../../test/support/until'
import { keepScreen } from './kept-screen'

const SIZE = { cols: 80, rows: 24 }
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-screen-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Keeps a screen with the built worker or with this program as its worker. */
async function keep(program?: string) {
  const events = { answers: [] as string[], behind: [] as boolean[] }
  const file = path.join(program ? folder : inject('consoleFolder'), 'screen-worker.js')
  if (program) await writeFile(file, program)
  const screen = keepScreen(
    SIZE,
    { answer: (text) => events.answers.push(text), behind: (is) => events.behind.push(is) },
    file,
  )
  return { screen, events }
}

describe('a kept screen', () => {
  it('answers only queries that no browser received', async () => {
    const { screen, events } = await keep()
    screen.write('\x1b[c', false)
    screen.write('seen \x1b[', false)
    // This query is completed after the browser disconnected, so the browser never received all of it.
    screen.write('5n', true)
    expect(await screen.show()).toContain('seen')
    expect(events.answers).toEqual(['\x1b[0n'])
    screen.close()
  })

  it('pauses the shell while it is behind and resumes it when it has caught up', async () => {
    const { screen, events } = await keep()
    for (let i = 0; i < 20; i++) screen.write('a line of a flood\r\n'.repeat(1000), false)
    expect(events.behind).toEqual([true])
    await until(() => events.behind.length === 2)
    expect(events.behind).toEqual([true, false])
    screen.close()
  })

  it.each([
    ['fails', `throw new Error('a defect')`],
    ['takes all memory', `const all = []; for (;;) all.push(new Array(1000).fill(all.length))`],
  ])('is dropped if its worker %s, and the shell continues', async (_how, program) => {
    const { screen, events } = await keep(program)
    screen.write('x'.repeat(1_000_000), true)
    expect(await screen.show()).toBe('The previous screen could not be restored.\r\n')
    expect(events.behind).toEqual([true, false])
    screen.write('more', true)
    screen.resize(SIZE)
    expect(await screen.show()).toContain('could not be restored')
  })
})
