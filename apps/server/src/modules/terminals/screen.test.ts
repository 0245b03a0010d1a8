// oxlint-disable no-control-regex -- these tests are about control characters
import headless from '@xterm/headless'
import { describe, expect, it } from 'vitest'
import { makeScreen } from './screen'
import { internalsOf, type Cell } from './screen-state'
import { soakIt, soaking } from '../../../test/support/soak'

const SIZE = { cols: 20, rows: 6 }
type Terminal = InstanceType<typeof headless.Terminal>

/** Simulates a browser: a terminal that records its titles and replies. */
function browser() {
  const terminal = new headless.Terminal({ ...SIZE, scrollback: 1000, allowProposedApi: true })
  const replies: string[] = []
  const titles = ['']
  terminal.onData((text) => replies.push(text))
  terminal.onTitleChange((title) => titles.push(title))
  return { terminal, replies, titles }
}
const write = (terminal: Terminal, text: string) =>
  new Promise<void>((resolve) => {
    terminal.write(text, resolve)
  })

const styleOf = (cell: Cell) => [
  cell.isFgDefault() ? 'default' : `${cell.isFgRGB()} ${cell.getFgColor()}`,
  cell.isBgDefault() ? 'default' : `${cell.isBgRGB()} ${cell.getBgColor()}`,
  [cell.isBold(), cell.isDim(), cell.isItalic(), cell.isBlink(), cell.isInverse(), cell.isInvisible()].map(
    Boolean,
  ),
  [cell.isStrikethrough(), cell.isOverline()].map(Boolean),
  cell.extended.urlId ? 0 : cell.getUnderlineStyle(),
]
/** All state that is visible to users or programs. */
function stateOf({ terminal, titles }: { terminal: Terminal; titles: string[] }) {
  const internals = internalsOf(terminal)
  const { scrollTop, scrollBottom } = internals.buffers.active
  const rows = (buffer: Terminal['buffer']['normal']) =>
    Array.from({ length: buffer.length }, (_, y) =>
      Array.from({ length: SIZE.cols }, (_x, x) => {
        // The same cast as in screen-state.ts.
        const cell = buffer.getLine(y)?.getCell(x) as unknown as Cell
        return cell.getChars() === '' ? styleOf(cell)[1] : [cell.getChars(), ...styleOf(cell)]
      }),
    )
  const { active, normal } = terminal.buffer
  return {
    title: titles.at(-1),
    modes: terminal.modes,
    hidden: internals.coreService.isCursorHidden,
    cursorStyle: internals.coreService.decPrivateModes,
    mouse: internals.coreMouseService.activeEncoding,
    region: [scrollTop, scrollBottom],
    charset: [internals._charsetService.glevel, internals._charsetService.charset?.q],
    pen: styleOf(internals._inputHandler._curAttrData as Cell),
    type: active.type,
    cursor: [active.cursorX, active.cursorY],
    active: rows(active),
    normal: rows(normal),
  }
}

/** A screen that read `before` is drawn in a new browser, which then reads `after`. */
async function cutBetween(before: string, after: string) {
  const answers: string[] = []
  const screen = makeScreen(SIZE, (text) => answers.push(text))
  await screen.write(before)
  const there = browser()
  const replay = screen.text()
  await write(there.terminal, replay)
  const repliesToReplay = [...there.replies]
  await write(there.terminal, after)
  return { ...there, answers, replay, repliesToReplay }
}

/** Pseudorandom numbers that are the same in every run. */
function seeded(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Parses sequences with visible symbols for ESC, BEL, ENQ, SO, SI and space, and names of C1 characters. */
const sequences = (text: string): string[] =>
  text
    .trim()
    .split(/\s+/)
    .map((one) =>
      one
        .replaceAll('␛', '\x1b')
        .replaceAll('␇', '\x07')
        .replaceAll('␅', '\x05')
        .replaceAll('␎', '\x0e')
        .replaceAll('␏', '\x0f')
        .replaceAll('␠', ' ')
        .replaceAll('<CSI>', '\u009b')
        .replaceAll('<OSC>', '\u009d')
        .replaceAll('<DCS>', '\u0090')
        .replaceAll('<ST>', '\u009c'),
    )

/** All queries that xterm.js answers, except for keys and the mouse, and those that other terminals answer. */
const QUERIES = sequences(`
  ␛[c ␛[0c ␛[>c ␛[>0c ␛[=c ␛[5n ␛[6n ␛[?6n ␛[?15n ␛[?25n ␛[?26n ␛[?53n ␛[?996n ␛[4$p ␛[?1$p ␛[?2026$p ␛[>q ␛[>0q
  ␛[14t ␛[16t ␛[18t ␛[19t ␛[20t ␛[21t ␛[x ␛[?u ␛]4;1;?␇ ␛]10;?␇ ␛]11;?␛\\ ␛]12;?␇ ␛]52;c;?␇ ␛]10;?;?;?␇
  ␛P$qm␛\\ ␛P$qr␛\\ ␛P$q"p␛\\ ␛P$q␠q␛\\ ␛P+q544e␛\\ ␛Z ␅ <CSI>c <CSI>6n <OSC>11;?<ST> <DCS>$qm<ST>
`)
const DRAWING = [
  ...sequences(`
    hello ␠ wide␠漢字かな äöü e\u0301 a␠line␠that␠is␠longer␠than␠the␠screen␠is␠wide
    ␛[m ␛[1m ␛[2m ␛[22;1m ␛[3;4m ␛[4:3m ␛[5m ␛[7m ␛[27m ␛[8m ␛[9;53m
    ␛[31m ␛[97;104m ␛[38;5;208m ␛[48;5;17m ␛[38;2;1;200;3m ␛[48;2;250;128;114m ␛[39;49m
    ␛[H ␛[3;4H ␛[20C ␛[2A ␛[B ␛[10G ␛[4d ␛[J ␛[1J ␛[2J ␛[K ␛[1K ␛[2K
    ␛[L ␛[2M ␛[3@ ␛[2P ␛[4X ␛[2S ␛[T ␛M ␛D ␛E ␛[3b ␛#8 ␛[2;5r ␛[r ␛7 ␛8 ␛(0qqxq␛(B ␛)0␎qq␏ ␛[!p ␛c
    ␛[?1049h ␛[?1049l ␛[?47h ␛[?47l ␛[?25l ␛[?25h ␛[?1h ␛[?1l ␛= ␛> ␛[4h ␛[4l ␛[?6h ␛[?6l ␛[?7l ␛[?7h ␛[?45h
    ␛[?2004h ␛[?2004l ␛[?1000h ␛[?1002h ␛[?1003l ␛[?1006h ␛[?1006l ␛[3␠q ␛[6␠q ␛[0␠q
    ␛]0;a␠title␇ ␛]2;another␛\\ ␛]8;;http://x␇link␛]8;;␇ ␛Punknown␛\\ ␛_apc␛\\
  `),
  '\r\n',
  '\n',
  '\r',
  '\t',
  '\b',
]
const someOf = (list: readonly string[], pick: (below: number) => number, count: number) =>
  Array.from({ length: count }, () => list[pick(list.length)] ?? '').join('')

/** Cuts only between characters, as the server does. */
function cutSomewhere(output: string, pick: (below: number) => number): [string, string] {
  const at = pick(output.length + 1)
  return [output.slice(0, at), output.slice(at)]
}

describe('a restored screen', () => {
  it('is identical and continues identically, wherever the output was cut', async () => {
    for (let seed = 1; seed <= (soaking ? 150 : 30); seed++) {
      const pick = seeded(seed)
      const output = someOf(DRAWING, pick, 40)
      const whole = browser()
      await write(whole.terminal, output)
      const cut = cutSomewhere(output, pick)
      const again = await cutBetween(...cut)
      expect(stateOf(again), JSON.stringify([seed, ...cut])).toEqual(stateOf(whole))
    }
  })

  soakIt('contains no query, and every query in the output is answered once', async () => {
    const harmless = /\u001B\[[\d;:?]*[mHJXCrhl]|\u001B\[\d q|\u001B\]2;[^\u0007]*\u0007|\u001B7|\u001B[()]0/g
    for (let seed = 1; seed <= 150; seed++) {
      const pick = seeded(seed)
      const output = someOf([...QUERIES, ...QUERIES, ...DRAWING], pick, 40)
      const whole = browser()
      await write(whole.terminal, output)
      const cut = cutSomewhere(output, pick)
      const where = JSON.stringify([seed, ...cut])
      const { answers, replies, repliesToReplay } = await cutBetween(...cut)
      expect(repliesToReplay, where).toEqual([])
      expect([...answers, ...replies], where).toEqual(whole.replies)
      // It contains no queries that only a browser answers, such as those for colors and windows, either.
      const { replay } = await cutBetween(output, '')
      expect(replay.replaceAll(harmless, ''), where).not.toMatch(/[\u001B\u0080-\u009F]/)
    }
  })

  it('is correct after each single query', async () => {
    for (const query of QUERIES) {
      const { replay, repliesToReplay } = await cutBetween(`before${query}after`, '')
      expect(repliesToReplay).toEqual([])
      expect(replay, JSON.stringify(query)).not.toContain(query)
      expect(replay).toContain('after')
    }
  })

  it('includes a limited scrollback', async () => {
    const screen = makeScreen({ cols: 80, rows: 24 }, () => {})
    await screen.write(Array.from({ length: 5000 }, (_, i) => `line ${i}\r\n`).join(''))
    expect(screen.text()).toContain('line 4000')
    expect(screen.text()).not.toContain('line 3000')
  })

  soakIt('is limited in size, however wide and colorful the screen is', async () => {
    const screen = makeScreen({ cols: 600, rows: 300 }, () => {})
    const cell = (i: number) => `\x1b[38;2;${i % 7 ? 1 : i % 256};1;255;48;2;255;${i % 256};255mx`
    await screen.write(Array.from({ length: 180_000 }, (_, i) => cell(i)).join(''))
    expect(screen.text()).toBe('')
    screen.resize({ cols: 300, rows: 100 })
    expect(screen.text()).toContain('x')
    expect(screen.text().length).toBeLessThan(4_000_000)
  })

  it('is not delayed by sequences with an implausible repeat count, which are ignored', async () => {
    const screen = makeScreen(SIZE, () => {})
    for (const final of 'ILMSTZb') await screen.write(`x\x1b[2147483647${final}`)
    await screen.write('\r\nstill here')
    expect(screen.text()).toContain('still here')
  })
})
