import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { until } from '../../../test/support/until'
import { alive } from '../../../test/support/behaviors/transports/alive'
import { localTransport } from './local'
import type { ExecOptions } from '../transport'

const local = localTransport()
afterAll(() => local.close())
const run = (argv: string[], more: Partial<ExecOptions> = {}) =>
  local.exec(argv, { timeoutMs: 20_000, brief: true, ...more })
const shellOf = async () => Number((await run(['sh', '-c', 'echo $PPID'])).stdout)

// All characters up to U+02FF, and text that a shell could interpret.
const signs = Array.from({ length: 0x2ff }, (_, index) => String.fromCharCode(index + 1)).join('')
const odd = `${signs} 漢字 🚀 $HOME \`id\` $(id) \\ \\\\ 'a' "b" !x`

describe('a short command in a persistent shell', () => {
  it('runs in the same shell as the previous one', async () => {
    const first = await shellOf()
    expect(first).not.toBe(process.pid)
    for (let count = 0; count < 3; count++) expect(await shellOf()).toBe(first)
  })

  it('returns its output, errors and exit code, with a signal as an exit code', async () => {
    expect(await run(['sh', '-c', 'echo out; echo err >&2; exit 3'])).toEqual({
      code: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      truncated: false,
    })
    expect(await run(['sh', '-c', 'kill -TERM $$'])).toMatchObject({ code: 143, signal: null })
    expect(await run(['no-such-program-here'])).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('no-such-program-here'),
    })
    expect((await run(['env', '--', 'printf', 'no line end'])).stdout).toBe('no line end')
  })

  it.each([
    ['nothing', ''],
    ['one line', 'a\n'],
    ['no line end', odd],
    ['every character', `${odd}\n`],
    ['more than a pipe holds', `${odd}\n`.repeat(500)],
    ['more than a pipe holds and no line end', `${odd}\n`.repeat(500) + odd],
  ])('gets its input and arguments unchanged: %s', async (_, text) => {
    expect((await run(['cat'], { stdin: text })).stdout).toBe(text)
    expect((await run(['true'], { stdin: text })).code).toBe(0)
    if (text.length < 10_000) expect((await run(['env', 'printf', '%s', text])).stdout).toBe(text)
  })

  it('is started before its input is released', async () => {
    const folder = await testFolder()
    let allow: () => void = () => undefined
    const inputAfter = new Promise<void>((resolve) => (allow = resolve))
    const script = `touch ${folder}/begun; cat`
    const running = run(['sh', '-c', script], { stdin: odd, inputAfter })
    await until(() => existsSync(path.join(folder, 'begun')))
    allow()
    expect((await running).stdout).toBe(odd)
  })

  it('has its output truncated at the limit, and complete output below it', async () => {
    const script = 'head -c 5000000 /dev/zero | tr "\\0" x; head -c 5000 /dev/zero | tr "\\0" y >&2; exit 4'
    expect(await run(['sh', '-c', script], { maxBytes: 1000 })).toEqual({
      code: 4,
      signal: null,
      truncated: true,
      stdout: 'x'.repeat(1000),
      stderr: 'y'.repeat(1000),
    })
    expect((await run(['sh', '-c', script])).stdout).toHaveLength(5_000_000)
  })

  it('does not get late output of an earlier command', async () => {
    await run(['sh', '-c', '(sleep 0.1; echo late; echo late >&2) & exit'])
    const { stdout, stderr } = await run(['sh', '-c', 'sleep 0.3; echo mine'])
    expect([stdout.replace('late\n', ''), stderr.replace('late\n', '')]).toEqual(['mine\n', ''])
    expect(await run(['echo', 'next'])).toMatchObject({ stdout: 'next\n', stderr: '' })
  })

  it('is killed with its whole process tree after its timeout, and the next one works', async () => {
    const where = await testFolder()
    const script = `echo $$ > ${where}/leader; sleep 600 & echo $! > ${where}/child; wait`
    await expect(run(['sh', '-c', script], { timeoutMs: 3000 })).rejects.toMatchObject({
      reason: 'timed out',
      message: expect.stringMatching(/"sh" did not finish within 3 s/),
    })
    for (const one of ['leader', 'child'])
      expect(await alive(Number(await readFile(path.join(where, one), 'utf8'))), one).toBe(false)
    expect((await run(['echo', 'next'])).stdout).toBe('next\n')
  })

  it('can be canceled, even while it waits for its turn', async () => {
    const stop = new AbortController()
    const many = Array.from({ length: 40 }, () => run(['sleep', '600'], { signal: stop.signal }))
    setTimeout(() => stop.abort(), 200)
    for (const one of await Promise.allSettled(many))
      expect(one).toMatchObject({ status: 'rejected', reason: { reason: 'canceled' } })
    expect((await run(['echo', 'next'])).stdout).toBe('next\n')
  })

  it('has an unknown outcome if the shell is killed', async () => {
    await expect(run(['sh', '-c', 'kill -9 $PPID'])).rejects.toMatchObject({ reason: 'lost' })
    expect((await run(['echo', 'next'])).stdout).toBe('next\n')
  })

  it('can run concurrently with a hundred others', async () => {
    const all = await Promise.all(
      // The timeout includes the wait for a turn.
      Array.from({ length: 100 }, (_, index) =>
        run(['sh', '-c', `sleep 0.0${index % 10}; echo ${index}`], { timeoutMs: 250_000 }),
      ),
    )
    expect(all.map(({ stdout }) => Number(stdout))).toEqual(Array.from({ length: 100 }, (_, index) => index))
  })
})

describe('a shell that has received a part of a command', () => {
  it('runs nothing if the sender is killed', async () => {
    const where = await testFolder()
    // Simulates a server that dies while it writes a long script, which is larger than the pipe's buffer.
    const shell = spawn('/bin/sh', { stdio: ['pipe', 'ignore', 'ignore'] })
    shell.stdin.write(`{ printf x\ncat > ${where}/arrived <<'fence'\n${'line\n'.repeat(1000)}`)
    shell.stdin.end()
    await until(() => shell.exitCode !== null)
    expect(existsSync(path.join(where, 'arrived'))).toBe(false)
  })
})
