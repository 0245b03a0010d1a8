import type { Readable, Writable } from 'node:stream'

export interface Exit {
  /** Null if a signal ended it. */
  code: number | null
  /** Such as 'SIGTERM'. */
  signal: string | null
}

/** A running command. Both outputs must be read, or the command blocks. */
export interface Running {
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** Resolves when it has ended and its output is in the streams. Rejects if the connection is lost before. */
  done: Promise<Exit>
  /** Ends the whole process tree, first gracefully and then with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
}
