import type { OnReadOpts, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TransportError } from './error'
import type { Files } from './files'
import type { Exit, Running } from './running'

export interface CommandOptions {
  /** The folder to run in; by default the account's home. It must be trusted, never a path that a user entered. */
  cwd?: string
  /** Added to the clean environment. Over SSH other users of that machine can see it, so pass secrets by stdin. */
  env?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

export interface ExecOptions extends CommandOptions {
  stdin?: string | Buffer
  /**
   * The input is passed on only after this resolves. The command may be started earlier, so use it only for commands
   * that have no effect before they have read all input, and none if it is empty. If this rejects, the command is
   * killed without any input and the call fails with the error.
   */
  inputAfter?: Promise<unknown>
  /** Covers waiting for a connection and a channel, the command and its output; then the process tree is killed. */
  timeoutMs: number
  /** The limit for each of stdout and stderr, 16 MiB by default; the rest is discarded. */
  maxBytes?: number
  /**
   * One of many short commands: it may run in a persistent shell, which is faster. Such a shell reports the signal that
   * ended a command as an exit code, 128 plus the signal's number.
   */
  brief?: boolean
}

export interface ExecResult extends Exit {
  stdout: string
  stderr: string
  /** More was written than `maxBytes`. */
  truncated: boolean
}

export interface TerminalSize {
  cols: number
  rows: number
}

/** A login shell on its own terminal. */
export interface Terminal {
  write(data: string | Buffer): void
  resize(size: TerminalSize): void
  onData(listener: (data: Buffer) => void): void
  /** Called once, even if the terminal ended before the listener was added. `error`: the connection was lost. */
  onExit(listener: (exit: Exit & { error?: TransportError }) => void): void
  /** `pause` and `resume` control reading, for a reader that cannot keep up. */
  pause(): void
  resume(): void
  kill(): Promise<void>
}

export interface TransportState {
  healthy: boolean
  /** Why it is not healthy, if a connection was attempted. */
  error?: TransportError
  /** When the state last changed, in milliseconds. */
  since: number
}

/**
 * Runs commands and accesses files on a machine as one account, independently of schedulers.
 *
 * A command that ends with any code is a result; a TransportError means that its outcome is unknown or that it never
 * began. A missing program is reported as code 127. Commands are arrays, which are not interpreted by a shell.
 */
export interface Transport {
  exec(argv: readonly string[], options: ExecOptions): Promise<ExecResult>
  stream(argv: readonly string[], options?: CommandOptions): Promise<Running>
  shell(options: TerminalSize & { term?: string }): Promise<Terminal>
  /** A TCP connection from that machine to this address. */
  connect(host: string, port: number, signal?: AbortSignal): Promise<Duplex>
  /** Connects to a Unix socket of the account in a folder of its home; undefined if only the account itself can. */
  connectToUnixSocket?: (folder: string, name: string, onread?: OnReadOpts) => Promise<Socket>
  /**
   * Only the files under `folder` of `base`; `~` is the account's home. The folder must exist. Only the path to the
   * base may contain links; none is followed between the base and the folder, which the account can change.
   */
  files(base: string, folder?: string): Files
  /**
   * The files under an absolute path and wherever links in it lead; paths that begin with a slash are relative to the
   * root of the machine. Fails if `linksBlockedReason` is not null.
   */
  filesBeyond(folder: string): Files
  /** Why links out of a folder are not followed, or null. Following them takes a process with the account's rights. */
  linksBlockedReason: string | null
  state(): TransportState
  healthy(): boolean
  onStateChange(listener: (state: TransportState) => void): () => void
  close(): Promise<void>
}
