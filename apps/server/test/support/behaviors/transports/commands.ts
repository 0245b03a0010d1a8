import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ExecOptions } from '../../../../src/transports/transport'
import { alive } from './alive'
import type { Subject } from './subject'

export function commandBehaviors({ name, on, folder }: Subject): void {
  const run = (argv: string[], more: Partial<ExecOptions> = {}) =>
    on().exec(argv, { timeoutMs: 20_000, ...more })

  describe(`${name}: commands`, () => {
    it('return output, errors and the exit code', async () => {
      expect(await run(['sh', '-c', 'echo out; echo err >&2; exit 3'])).toEqual({
        code: 3,
        signal: null,
        stdout: 'out\n',
        stderr: 'err\n',
        truncated: false,
      })
    })

    it('report the signal that ended them', async () => {
      expect(await run(['sh', '-c', 'kill -TERM $$'])).toMatchObject({ code: null, signal: 'SIGTERM' })
    })

    it('return code 127 for a program that does not exist', async () => {
      const { code, stderr } = await run(['no-such-program-here'])
      expect(code).toBe(127)
      expect(stderr).toContain('no-such-program-here')
    })

    it('receive every argument literally, regardless of its characters', async () => {
      const odd = [
        "it's",
        'a "b" $HOME `id` $(id) \\ \\\\ !x !! #c ~ * ? [a] {b,c} <d >e |f &g ;h (i) %j =k ^l',
        'line 1\nline 2\r\n',
        '',
        ' ',
        '-n',
        'grüße 漢字 🚀',
        "'",
        "\\'",
        '\t',
        '=ls',
        '~root',
      ]
      const { stdout } = await run(['printf', '%s\\0', ...odd])
      expect(stdout.split('\0').slice(0, -1)).toEqual(odd)
    })

    it('a connection reaches the ports that the machine can reach', async () => {
      const echo = createServer((socket) => void socket.pipe(socket)).listen(0, '127.0.0.1')
      await once(echo, 'listening')
      const { port } = echo.address() as AddressInfo
      const stream = await on().connect('127.0.0.1', port)
      stream.end('there and back')
      expect(await textOf(stream)).toBe('there and back')
      echo.close()
      await once(echo, 'close')
      await expect(on().connect('127.0.0.1', port)).rejects.toMatchObject({ reason: 'failed' })
    })

    it('receive standard input, and may leave it unread', async () => {
      const text = 'grüße\n'.repeat(200_000)
      expect((await run(['wc', '-c'], { stdin: text })).stdout.trim()).toBe(String(Buffer.byteLength(text)))
      expect((await run(['true'], { stdin: text })).code).toBe(0)
      expect((await run(['cat'])).stdout).toBe('')
    })

    it.each([false, true])('receive their input only when it is allowed (brief: %s)', async (brief) => {
      const where = await folder()
      let allow: () => void = () => undefined
      const inputAfter = new Promise<void>((resolve) => (allow = resolve))
      const script = `cat > ${where}/read; echo done`
      const running = run(['sh', '-c', script], { brief, stdin: "it's\nall", inputAfter })
      // Another command runs and ends in the meantime.
      expect((await run(['cat'], { brief, stdin: 'other\n' })).stdout).toBe('other\n')
      expect(await readFile(path.join(where, 'read'), 'utf8').catch(() => '')).toBe('')
      allow()
      expect(await running).toMatchObject({ code: 0, stdout: 'done\n' })
      expect(await readFile(path.join(where, 'read'), 'utf8')).toBe("it's\nall")
      // The permission for this command does not apply to the next one.
      expect((await run(['cat'], { brief, stdin: 'next\n' })).stdout).toBe('next\n')
    })

    it.each([false, true])('receive no input if it is never allowed (brief: %s)', async (brief) => {
      const where = await folder()
      let refuse: (why: Error) => void = () => undefined
      const inputAfter = new Promise<void>((_resolve, reject) => (refuse = reject))
      const script = `cat > ${where}/read; test -s ${where}/read && touch ${where}/acted`
      const running = run(['sh', '-c', script], { brief, stdin: 'all\n', inputAfter })
      const answer = running.catch((error: unknown) => error)
      await run(['true'], { brief })
      refuse(new Error('not written'))
      expect(await answer).toMatchObject({ message: 'not written' })
      expect((await run(['ls', where])).stdout).not.toContain('acted')
      expect((await run(['cat'], { brief, stdin: 'next\n' })).stdout).toBe('next\n')
    })

    it('run with the given variables and folder, and without the environment of the server', async () => {
      process.env.FLOTILLA_TEST_SECRET = 'not for children'
      const where = await folder()
      const env = { GREETING: "it's\n$HOME!" }
      const { stdout } = await run(['sh', '-c', 'echo "$GREETING"; pwd; env'], { cwd: where, env })
      delete process.env.FLOTILLA_TEST_SECRET
      expect(stdout).toContain(`it's\n$HOME!\n${where}\n`)
      expect(stdout).not.toContain('FLOTILLA_TEST_SECRET')
    })

    it('fail with the name of a missing folder', async () => {
      await expect(run(['true'], { cwd: '/no/such/folder' })).rejects.toMatchObject({
        step: 'open folder',
        reason: 'not found',
        message: expect.stringContaining('/no/such/folder'),
      })
    })

    it('are killed with their whole process tree on a timeout, including processes that left the session', async () => {
      const where = await folder()
      const script =
        'echo $$ > leader; setsid sh -c "echo \\$\\$ > other; trap : TERM; while :; do sleep 1; done" & ' +
        'sleep 600 & echo $! > child; wait; sleep 600'
      await expect(run(['sh', '-c', script], { cwd: where, timeoutMs: 3000 })).rejects.toMatchObject({
        step: 'run command',
        reason: 'timed out',
        message: expect.stringMatching(/"sh" did not finish within 3 s/),
      })
      for (const one of ['leader', 'child', 'other']) {
        const pid = Number(await readFile(path.join(where, one), 'utf8'))
        expect(pid).toBeGreaterThan(1)
        expect(await alive(pid), one).toBe(false)
      }
    })

    it('can be canceled', async () => {
      const stop = new AbortController()
      const running = run(['sleep', '600'], { signal: stop.signal })
      setTimeout(() => stop.abort(), 50)
      await expect(running).rejects.toMatchObject({ reason: 'canceled' })
    })

    it('can finish after their output has exceeded its limit, which truncates it', async () => {
      const script =
        'head -c 10485760 /dev/zero | tr "\\0" x; head -c 5000 /dev/zero | tr "\\0" y >&2; exit 4'
      const bounded = await run(['sh', '-c', script], { maxBytes: 1000 })
      expect(bounded).toMatchObject({
        code: 4,
        truncated: true,
        stdout: 'x'.repeat(1000),
        stderr: 'y'.repeat(1000),
      })
      const whole = await run(['sh', '-c', script])
      expect(whole).toMatchObject({ code: 4, truncated: false })
      expect(whole.stdout).toHaveLength(10_485_760)
    })

    it('stream their output while they run', async () => {
      const running = await on().stream(['sh', '-c', 'while read line; do echo "got $line"; done; exit 5'])
      running.stderr.resume()
      const lines = running.stdout[Symbol.asyncIterator]()
      running.stdin.write('one\n')
      expect(String((await lines.next()).value)).toBe('got one\n')
      running.stdin.write('two\n')
      expect(String((await lines.next()).value)).toBe('got two\n')
      running.stdin.end()
      expect((await lines.next()).done).toBe(true)
      expect(await running.done).toEqual({ code: 5, signal: null })
    })

    it('are killed with all of their children when their stream is killed', async () => {
      const running = await on().stream(['sh', '-c', 'echo $$; sleep 600; echo never'])
      running.stderr.resume()
      const first = await new Promise<Buffer>((resolve) => running.stdout.once('data', resolve))
      await running.kill()
      running.stdout.resume()
      const exit = await running.done.catch((error: unknown) => error)
      expect(exit).toBeDefined()
      expect(await alive(Number(first))).toBe(false)
    })

    it('run a hundred at a time', async () => {
      // The time limit of each command includes its time in the queue.
      const all = await Promise.all(
        Array.from({ length: 100 }, (_, index) => run(['echo', String(index)], { timeoutMs: 250_000 })),
      )
      expect(all.map(({ stdout }) => Number(stdout))).toEqual(
        Array.from({ length: 100 }, (_, index) => index),
      )
    })
  })
}
