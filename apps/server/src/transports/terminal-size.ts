import { TERMINAL_SIDE_MAX } from '@flotilla/contract/clusters/terminal'
import type { TerminalSize } from './transport'

/** Limits the size that a browser requests: programs misbehave in a terminal with 0 or a million columns. */
export const bounded = ({ cols, rows }: TerminalSize): TerminalSize => ({
  cols: Math.min(Math.max(Math.trunc(cols) || 80, 2), TERMINAL_SIDE_MAX),
  rows: Math.min(Math.max(Math.trunc(rows) || 24, 2), TERMINAL_SIDE_MAX),
})
