import type { Entry, Listing, OpenFor, Root } from '../disk'
import type { Found, Slice } from '../search/scan'

/**
 * The additional descriptors of a worker: the channel for calls and replies, and the program that runs it. The sandbox
 * passes on descriptors from 7 upward. The program and the worker's code may be hidden in the namespace, so the server
 * opens both.
 */
export const CHANNEL = 7
export const PROGRAM = 8

/** The calls to a files worker. Server and worker are our own code of the same build. */
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
  /** The number that identifies the open file in later calls. */
  open: number
  /** The number of a stream, which `next` reads piece by piece. */
  pack: number
  look: { size: number; modifiedAt: number; id?: string }
  /** The bytes are in the frame's body, which is empty at the end. */
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
