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

/** The built worker, or one that does this instead. */
async function keep(program?: string) {
  const heard = { answers: [] as string[], behind: [] as boolean[] }
  const file = path.join(program ? folder : inject('consoleFolder'), 'screen-worker.js')
  if (program) await writeFile(file, program)
  const screen = keepScreen(
    SIZE,
    { answer: (text) => heard.answers.push(text), behind: (is) => heard.behind.push(is) },
    file,
  )
  return { screen, heard }
}

describe('a kept screen', () => {
  it('answers only what no browser saw', async () => {
    const { screen, heard } = await keep()
    screen.write('\x1b[c', false)
    screen.write('seen \x1b[', false)
    // Completed after the browser left: it never saw the whole of it.
    screen.write('5n', true)
    expect(await screen.show()).toContain('seen')
    expect(heard.answers).toEqual(['\x1b[0n'])
    screen.close()
  })

  it('lets the shell wait while it is behind, and continue when it has read', async () => {
    const { screen, heard } = await keep()
    for (let i = 0; i < 20; i++) screen.write('a line of a flood\r\n'.repeat(1000), false)
    expect(heard.behind).toEqual([true])
    await until(() => heard.behind.length === 2)
    expect(heard.behind).toEqual([true, false])
    screen.close()
  })

  it.each([
    ['fails', `throw new Error('a defect')`],
    ['takes all memory', `const all = []; for (;;) all.push(new Array(1000).fill(all.length))`],
  ])('is dropped when it %s, and the shell continues', async (_how, program) => {
    const { screen, heard } = await keep(program)
    screen.write('x'.repeat(1_000_000), true)
    expect(await screen.show()).toBe('The previous screen could not be restored.\r\n')
    expect(heard.behind).toEqual([true, false])
    screen.write('more', true)
    screen.resize(SIZE)
    expect(await screen.show()).toContain('could not be restored')
  })
})
