import * as z from 'zod/mini'
import { socketRequest } from '../socket-request'

/** The maximum columns or rows of a terminal. */
export const TERMINAL_SIDE_MAX = 1000

/**
 * Final characters of the escape sequences with a repeat count that the terminal library executes one by one: "scroll
 * by 2,000,000,000 lines" would keep it busy for an hour. Both the browser and the server's copy of the screen ignore a
 * count beyond any screen.
 */
export const RUNAWAY_SEQUENCES = ['I', 'L', 'M', 'S', 'T', 'Z', 'b'] as const

const Key = z.string().check(z.minLength(1), z.maxLength(300))
const Side = z.number().check(z.int(), z.minimum(1), z.maximum(TERMINAL_SIDE_MAX))

/** Shells on head nodes. */
export const terminals = {
  open: socketRequest('openTerminal', {
    summary:
      'Open a terminal on a cluster’s head node, or reopen one by id: terminals survive a lost connection for a while',
    access: 'userOrParticipant',
    input: z.object({ cluster: Key, cols: Side, rows: Side, terminal: z.optional(Key) }),
    reply: z.object({ terminal: z.string() }),
  }),
  input: socketRequest('terminalInput', {
    summary: 'Send keyboard input',
    access: 'userOrParticipant',
    input: z.object({ terminal: Key, data: z.string().check(z.maxLength(100_000)) }),
    reply: z.object({}),
  }),
  resize: socketRequest('resizeTerminal', {
    summary: 'Resize the terminal',
    access: 'userOrParticipant',
    input: z.object({ terminal: Key, cols: Side, rows: Side }),
    reply: z.object({}),
  }),
  close: socketRequest('closeTerminal', {
    summary: 'End the shell',
    access: 'userOrParticipant',
    input: z.object({ terminal: Key }),
    reply: z.object({}),
  }),
}
