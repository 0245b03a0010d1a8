import type { Entry, Listing, OpenFor } from './disk'

/** What the server asks of a files worker, and what it gets back. Both are ours and of the same build. */
export type DiskCall =
  | { call: 'list'; parts: readonly string[]; limit: number }
  | { call: 'stat' | 'resolve' | 'mkdir' | 'hold'; parts: readonly string[] }
  | { call: 'open'; parts: readonly string[]; how: OpenFor }
  | { call: 'remove'; parts: readonly string[]; recursive: boolean }
  | { call: 'rename'; parts: readonly string[]; to: readonly string[]; replace: boolean }

export type FileCall =
  | { call: 'look' | 'sync' | 'close' }
  | { call: 'read'; offset: number; length: number }
  | { call: 'write'; offset: number }
  | { call: 'truncate'; size: number }
  | { call: 'permit'; permissions: number }

export type Request = { id: number } & (({ root: string } & DiskCall) | ({ file: number } & FileCall))

export interface Replies {
  list: Listing
  stat: Entry
  resolve: string[]
  mkdir: null
  remove: null
  rename: null
  /** The number of the open file in later calls. */
  open: number
  hold: { file: number; fd: number }
  look: { size: number; modifiedAt: number; id?: string }
  /** The bytes are the frame's body. */
  read: null
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
