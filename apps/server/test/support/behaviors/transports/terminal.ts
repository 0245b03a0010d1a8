import { describe, expect, it } from 'vitest'
import { until } from '../../until'
import { alive } from './alive'
import type { Subject } from './subject'

export function terminalBehaviors({ name, on }: Subject): void {
  describe(`${name}: terminal`, () => {
    it('runs a login shell on a terminal that can be resized', async () => {
      const terminal = await on().shell({ cols: 101, rows: 33 })
      let screen = ''
      terminal.onData((data) => (screen += data.toString()))
      const exit = new Promise((resolve) => terminal.onExit(resolve))
      // Split by quotes, so that the echo of the input is not mistaken for the output.
      terminal.write('echo si"ze" $(stty size) $TERM\r')
      await until(() => screen.includes('size 33 101 xterm-256color'))
      terminal.resize({ cols: 120, rows: 50 })
      await until(() => {
        terminal.write('echo si"ze" $(stty size)\r')
        return new Promise((resolve) => setTimeout(() => resolve(screen.includes('size 50 120')), 100))
      })
      // Interrupted earlier, the shell itself would receive the signal, and the command would start afterward.
      terminal.write(`sh -c 'echo wai"t"s; exec sleep 600'\r`)
      await until(() => screen.includes('waits'))
      terminal.write('\x03')
      terminal.write('exit 7\r')
      expect(await exit).toMatchObject({ code: 7 })
    })

    it('ends with everything that runs in it when it is closed', async () => {
      const terminal = await on().shell({ cols: 80, rows: 24 })
      let screen = ''
      terminal.onData((data) => (screen += data.toString()))
      terminal.write('echo pi"d"=$$; exec sleep 600\r')
      const pid = Number((await until(() => /pid=(\d+)\r/.exec(screen)))[1])
      expect(await alive(pid)).toBe(true)
      await terminal.kill()
      await until(async () => !(await alive(pid)))
    })
  })
}
