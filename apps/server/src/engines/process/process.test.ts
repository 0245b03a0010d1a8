import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { until } from '../../../test/support/until'
import { findDetached, startDetached } from './process'
import { wrapper } from './wrapper'

const run = promisify(execFile)
const environment = { PATH: process.env.PATH ?? '' }
const never = new AbortController().signal

async function linesOf(found: Awaited<ReturnType<typeof startDetached>>, from = 0): Promise<string[]> {
  const texts: string[] = []
  for await (const line of found.lines(from, never)) texts.push(line.text)
  return texts
}

describe('a detached process', () => {
  it('reports its standard output and standard error, and how it ended', async () => {
    const folder = await testFolder()
    const command = ['sh', '-c', 'echo one; echo two >&2; printf three; exit 7']
    const running = await startDetached({ folder, name: 'talk', command, environment })
    expect(await linesOf(running)).toEqual(['one', 'two', 'three'])
    expect(running.exitCode()).toBe(7)
    expect(running.alive()).toBe(false)
    await running.discard()
    expect(await findDetached(folder, { takeBack: true })).toBe(null)
  })

  it('reads input of any size as a file', async () => {
    const folder = await testFolder()
    const input = 'x'.repeat(1_000_000)
    const command = ['sh', '-c', 'wc -c </dev/fd/3; cat']
    const running = await startDetached({ folder, name: 'read', command, environment, input })
    expect((await linesOf(running)).map(Number)).toEqual([1_000_000])
  })

  it('starts only after the previous run is settled, and continues its positions', async () => {
    const folder = await testFolder()
    const command = ['echo', 'hello']
    const first = await startDetached({ folder, name: 'first', command, environment })
    await expect(startDetached({ folder, name: 'second', command, environment })).rejects.toMatchObject({
      code: 'locked',
    })
    await linesOf(first)
    await first.discard()
    const second = await startDetached({ folder, name: 'second', command, environment })
    for await (const line of second.lines(0, never)) expect(line).toEqual({ text: 'hello', end: 12 })
  })

  it('cannot start after its start was revoked', async () => {
    const folder = await testFolder()
    const folderOfRun = path.join(folder, 'runs/1')
    // The files that a server leaves if it is killed right before it starts the process.
    await mkdir(folderOfRun, { recursive: true })
    await writeFile(path.join(folderOfRun, 'run.json'), '{"name":"late","startedAt":0,"base":0}')
    expect((await findDetached(folder, { takeBack: false }))?.alive()).toBe(true)
    const found = await findDetached(folder, { takeBack: true })
    expect(found?.alive()).toBe(false)
    expect(found?.exitCode()).toBe(null)
    const mark = path.join(folder, 'it-ran')
    await run('sh', ['-c', wrapper, 'engine', folderOfRun, 'no', 'touch', mark])
    expect(existsSync(mark)).toBe(false)
  })

  it('is killed with all its child processes', async () => {
    const folder = await testFolder()
    const command = ['sh', '-c', 'sleep 600 & echo $!; wait']
    const running = await startDetached({ folder, name: 'family', command, environment })
    let child = 0
    for await (const line of running.lines(0, never)) {
      child = Number(line.text)
      running.kill()
    }
    expect(running.exitCode()).toBe(null)
    await until(() => !existsSync(`/proc/${child}/exe`))
  })
})
