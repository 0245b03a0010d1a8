import { terminals } from '@flotilla/contract/clusters/terminal'
import { api } from '@flotilla/contract/api'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BrowserSocket } from '../../../test/support/console/browser-socket'
import { Console, type Person } from '../../../test/support/console/console'
import { until } from '../../../test/support/until'
import { soakIt } from '../../../test/support/soak'

let server: Console
let machine: string
let ada: Person
const browsers: BrowserSocket[] = []
beforeAll(async () => {
  server = await Console.start()
  machine = await server.thisMachine()
  ada = await server.person('adalove')
})
afterAll(async () => {
  for (const { socket } of browsers) socket.disconnect()
  await server.stop()
})

const browse = async () => {
  const opened = await BrowserSocket.open(server.url, ada.token)
  browsers.push(opened)
  return opened
}
/** Creates the file that a command waits for with `waitFor`. */
const allow = (name: string) =>
  server.must(api.files.writeText, { cluster: machine, body: { path: name, text: '' } }, { token: ada.token })
const waitFor = (name: string) => `until [ -e ~/${name} ]; do sleep 0.05; done`
const exists = async (name: string): Promise<boolean> => {
  const input = { cluster: machine, query: { path: name } }
  return (await server.answer(api.files.readText, input, { token: ada.token })).status === 200
}
const screens = (browser: BrowserSocket) => browser.of('terminalOutput').filter(({ isScreen }) => isScreen)
/** Resumes a terminal in a new connection and returns its screen. */
async function resume(terminal: string): Promise<{ browser: BrowserSocket; screen: string }> {
  const browser = await browse()
  await browser.terminal(machine, terminal)
  return { browser, screen: screens(browser)[0]?.data ?? '' }
}

describe('a terminal after a lost connection', () => {
  it('shows its screen without repeating queries', async () => {
    const first = await browse()
    const terminal = await first.terminal(machine)
    // Queries of vim, less and prompts for the type of terminal, the position of the cursor, colors and modes.
    const queries = String.raw`\033[c\033[>c\033[5n\033[6n\033]11;?\007\033]4;1;?\007\033[?1$p\033[>q\033P$qm\033\\`
    await first.type(terminal, `printf '\\033[31mred\\033[0m ${queries}'; echo "as"ked`, /asked/)
    first.socket.disconnect()
    const { browser, screen } = await resume(terminal)
    expect(screen).toContain('\x1b[0;38;5;1mred')
    expect(screen).toContain('asked')
    // oxlint-disable-next-line no-control-regex -- this is about control characters
    expect(screen.replaceAll(/\x1b\[[\d;:?]*[mHJXCrhl]|\x1b\]2;[^\x07]*\x07|\x1b7/g, '')).not.toContain(
      '\x1b',
    )
    await browser.call(terminals.close, { terminal })
  })

  soakIt('answers queries itself only while no browser is connected, and only once', async () => {
    const first = await browse()
    const terminal = await first.terminal(machine)
    const ask = `printf '\\033[c' && IFS= read -rs -t 1 -d c reply`
    const askOn = `until ${ask}; do echo "no"body; done; echo "an""swer: \${reply:1}."; touch answered\n`
    // This browser answers nothing.
    await first.call(terminals.input, { terminal, data: askOn })
    await until(() => /nobody/.test(first.written(terminal)))
    first.socket.disconnect()
    await until(() => exists('answered'))
    const { browser, screen } = await resume(terminal)
    expect(screen).toContain('answer: [?1;2.')
    // No further reply reaches the shell.
    await browser.type(terminal, 'echo "line:" done', /line: done/)
    expect(browser.written(terminal)).not.toContain('1;2c')
    await browser.call(terminals.close, { terminal })
  })

  it('continues in the middle of a sequence and of a character', async () => {
    const first = await browse()
    const terminal = await first.terminal(machine)
    const halves = String.raw`printf 'one \033[38;2;1;2'; ${waitFor('half')}; printf ';3mtwo \303'; ${waitFor('byte')}; printf '\244 three'`
    await first.call(terminals.input, { terminal, data: `${halves}\n` })
    await until(() => first.written(terminal).endsWith('one \x1b[38;2;1;2'))
    first.socket.disconnect()
    const { browser: second, screen } = await resume(terminal)
    expect(screen).toMatch(/one .*\[38;2;1;2$/s)
    await allow('half')
    await until(() => second.written(terminal).endsWith(';3mtwo '))
    second.socket.disconnect()
    const { browser: third, screen: later } = await resume(terminal)
    expect(later).toContain('\x1b[0;38;2;1;2;3mtwo')
    await allow('byte')
    await until(() => third.written(terminal).includes('ä three'))
    await third.call(terminals.close, { terminal })
  })

  it('can be taken over by another window with its screen, modes and size', async () => {
    const first = await browse()
    const terminal = await first.terminal(machine)
    const full = String.raw`printf '\033[?1049h\033[?1h\033[?25l\033[?1000;1006h\033[?2004l\033]2;at work\007\033[5;3H\033[7mfull\033[m'; ${waitFor('leave')}; printf '\033[?1049l'`
    await first.type(terminal, full, /full.{1,9}$/s)
    const second = await browse()
    await second.call(terminals.open, { cluster: machine, cols: 100, rows: 30, terminal })
    await until(() => first.of('terminalEnd').length === 1)
    expect(first.of('terminalEnd')[0]?.reason).toBe('This terminal was opened in another window')
    const screen = screens(second)[0]?.data ?? ''
    for (const part of ['?1049h', '\x1b[0;7mfull', '[?1h', '[?25l', '[?1000h', '[?1006h', ']2;at work'])
      expect(screen).toContain(part)
    await allow('leave')
    await until(() => second.written(terminal).includes('[?1049l'))
    await second.type(terminal, 'stty size', /30 100/)
    await second.call(terminals.close, { terminal })
  })
})

soakIt(
  'endless output neither stalls the server nor fills its memory, with or without a connected browser',
  async () => {
    const watched = await browse()
    const opened = [await watched.terminal(machine), await watched.terminal(machine)]
    // A flood of plain text, and the sequences that are most expensive for a terminal.
    const hostile = String.raw`while :; do printf '%s' $'\e[2147483647S\e[2147483647b\e[1000L\e[1000M'; done`
    await watched.call(terminals.input, { terminal: opened[0] ?? '', data: 'yes "a flood of text"\n' })
    await watched.call(terminals.input, { terminal: opened[1] ?? '', data: `${hostile}\n` })
    await until(() => watched.written(opened[0] ?? '').length > 1_000_000)
    watched.socket.disconnect()
    for (let i = 0; i < 50; i++) await server.must(api.clusters.list, {}, { token: ada.token })
    const [, resident] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? []
    expect(Number(resident)).toBeLessThan(500_000)
    for (const terminal of opened) {
      const { browser } = await resume(terminal)
      expect(screens(browser)).toHaveLength(1)
      await browser.call(terminals.close, { terminal })
      await until(() => browser.of('terminalEnd').length === 1)
    }
  },
)
