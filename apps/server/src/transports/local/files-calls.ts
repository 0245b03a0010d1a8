import type { Entry, Listing, OpenFor, Root } from '../disk'
import type { Found, Slice } from '../search/scan'

/**
 * The descriptors of a worker beyond the usual three: the calls and their answers, and the program that runs it. What
 * makes a namespace hands on descriptors from 7 upwards; its view of the machine may have neither the program nor the
 * worker's code, so both are opened by the server.
 */
export const CHANNEL = 7
export const PROGRAM = 8

/** What the server asks of a files worker, and what it gets back. Both are ours and of the same build. */
export type DiskCall =
  | { call: 'list'; parts: readonly string[]; limit: number }
  | { call: 'stat' | 'resolve' | 'mkdir' | 'pack'; parts: readonly string[] }
  | { call: 'open'; parts: readonly string[]; how: OpenFor }
  | { call: 'permit'; parts: readonly string[]; permissions: number }
  | { call: 'remove'; parts: readonly string[]; recursive: boolean }
  | { call: 'rename'; parts: readonly string[]; to: readonly string[]; replace: boolean }

export type FileCall =
  | { call: 'look' | 'sync' | 'close' | 'next' }
  | { call: 'read'; offset: number; length: number }
  | { call: 'search'; slice: Slice }
  | { call: 'write'; offset: number }
  | { call: 'truncate'; size: number }
  | { call: 'permit'; permissions: number }

export type Request = { id: number } & (({ root: Root } & DiskCall) | ({ file: number } & FileCall))

export interface Replies {
  list: Listing
  stat: Entry
  resolve: string[]
  mkdir: null
  remove: null
  rename: null
  /** The number of the open file in later calls. */
  open: number
  /** The same for what `next` reads, piece by piece. */
  pack: number
  look: { size: number; modifiedAt: number; id?: string }
  /** The bytes are the frame's body; none at the end. */
  read: null
  next: null
  search: Found
  write: null
  truncate: null
  permit: null
  sync: null
  close: null
}

export type Reply = { id: number } & (
  | { result: Replies[keyof Replies] }
  | { error: { code?: string; message: string } }
)
