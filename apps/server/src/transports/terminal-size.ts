import { TERMINAL_SIDE_MAX } from '@flotilla/contract/clusters/terminal'
import type { TerminalSize } from './transport'

/** What a browser may ask for; a terminal of 0 or of a million columns makes programs misbehave. */
export const bounded = ({ cols, rows }: TerminalSize): TerminalSize => ({
  cols: Math.min(Math.max(Math.trunc(cols) || 80, 2), TERMINAL_SIDE_MAX),
  rows: Math.min(Math.max(Math.trunc(rows) || 24, 2), TERMINAL_SIDE_MAX),
})
