import headless from '@xterm/headless'
import { RUNAWAY_SEQUENCES, TERMINAL_SIDE_MAX } from '@flotilla/contract/clusters/terminal'
import { internalsOf } from './screen-state'
import { screenText } from './screen-text'

export type Size = { cols: number; rows: number }

const SCROLLBACK_LINES = 1000
/** A wide terminal keeps fewer lines: a cell takes 12 bytes. */
const SCROLLBACK_CELLS = 200_000
/** The maximum text sent to a browser: enough for a screen of 500 by 200 with different colors in every cell. */
const TEXT_MAX = 4_000_000
/** The maximum length of an incomplete sequence. The rest of a longer one, such as an image, is lost. */
const UNFINISHED_MAX = 64 * 1024

const scrollbackOf = (cols: number) => Math.min(SCROLLBACK_LINES, Math.floor(SCROLLBACK_CELLS / cols))

/**
 * A headless terminal that reads everything the shell writes and keeps what a browser would show. `answer` gets the
 * terminal's replies to queries, such as for its type.
 */
export function makeScreen(size: Size, answer: (text: string) => void) {
  const terminal = new headless.Terminal({
    ...size,
    scrollback: scrollbackOf(size.cols),
    allowProposedApi: true,
  })
  const internals = internalsOf(terminal)
  let title = ''
  let unfinished = ''
  terminal.onData(answer)
  terminal.onTitleChange((text) => (title = text.replaceAll(/\p{Cc}/gu, '')))
  for (const final of RUNAWAY_SEQUENCES)
    terminal.parser.registerCsiHandler({ final }, ([count]) => Number(count) > TERMINAL_SIDE_MAX)

  /** The incomplete sequence at the end of the text, without control characters in it, which were executed already. */
  const unfinishedOf = (text: string): string => {
    if (internals._inputHandler._parser.currentState === 0) return ''
    const begin = Math.max(0, text.lastIndexOf('\x1b'), text.search(/[\u0080-\u009f][^\u0080-\u009f]*$/))
    const rest = text.slice(begin + 1).replaceAll(/\p{Cc}/gu, '')
    return (text.charAt(begin) + rest).slice(0, UNFINISHED_MAX)
  }

  return {
    write: (text: string): Promise<void> =>
      new Promise((resolve) => {
        terminal.write(text, () => {
          unfinished = unfinishedOf(unfinished + text)
          resolve()
        })
      }),
    resize({ cols, rows }: Size): void {
      terminal.options.scrollback = scrollbackOf(cols)
      terminal.resize(cols, rows)
    },
    /** Returns text that draws this screen on a new terminal of the same size. It contains no queries. */
    text(): string {
      let text = screenText(terminal, title, SCROLLBACK_LINES)
      if (text.length > TEXT_MAX) text = screenText(terminal, title, 0)
      return text.length > TEXT_MAX ? '' : text + unfinished
    },
  }
}
