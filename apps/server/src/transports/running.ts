import type { Readable, Writable } from 'node:stream'

export interface Exit {
  /** Null when a signal ended it. */
  code: number | null
  /** As 'SIGTERM'. */
  signal: string | null
}

/** A command in progress. Both outputs must be read, or the command stands still. */
export interface Running {
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** When it has ended and everything it wrote is in the streams. Rejects when the connection is lost before. */
  done: Promise<Exit>
  /** Ends the whole tree, gracefully and then for good; resolves when it is gone. */
  kill(): Promise<void>
}
