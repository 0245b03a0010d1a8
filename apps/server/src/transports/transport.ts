import type { OnReadOpts, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TransportError } from './error'
import type { Files } from './files'
import type { Exit, Running } from './running'

export interface CommandOptions {
  /** The folder to run in; the account's home unless given. It is trusted: never a path that a user typed. */
  cwd?: string
  /** Added to the fresh environment. Over SSH others on that machine can see it: secrets go in by stdin. */
  env?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

export interface ExecOptions extends CommandOptions {
  stdin?: string | Buffer
  /**
   * What the command must not have its input before. In the meantime it may be started already: for commands that do nothing
   * before they have read all of it, and nothing at all when it is empty. When this fails the command is killed without
   * any input, and the error is the answer.
   */
  inputAfter?: Promise<unknown>
  /** Covers everything: waiting for a connection and a channel, the command, its output. Then the tree is killed. */
  timeoutMs: number
  /** What is kept of stdout and of stderr, each; the rest is thrown away. 16 MiB unless given. */
  maxBytes?: number
  /**
   * One of many short commands: it may run in a shell that stays, which is faster. Such a shell reports the signal
   * that ended a command as an exit code, 128 plus the signal's number.
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

/** A login shell on a terminal of its own. */
export interface Terminal {
  write(data: string | Buffer): void
  resize(size: TerminalSize): void
  onData(listener: (data: Buffer) => void): void
  /** Called once, also when the terminal ended before the listener came. `error` is set when the link broke. */
  onExit(listener: (exit: Exit & { error?: TransportError }) => void): void
  /** Stop and go on reading, for a reader that cannot keep up. */
  pause(): void
  resume(): void
  kill(): Promise<void>
}

export interface TransportState {
  healthy: boolean
  /** Why it is not, when it has been tried. */
  error?: TransportError
  /** When it became so, in milliseconds. */
  since: number
}

/**
 * A way to run commands and reach files on a machine, as one account. Knows no scheduler.
 *
 * A command that ends with any code is a result; a TransportError means that its end is not known or that it never
 * began. A program that does not exist is code 127. Commands are arrays; no shell sees them.
 */
export interface Transport {
  exec(argv: readonly string[], options: ExecOptions): Promise<ExecResult>
  stream(argv: readonly string[], options?: CommandOptions): Promise<Running>
  shell(options: TerminalSize & { term?: string }): Promise<Terminal>
  /** A TCP connection from that machine to this address. */
  connect(host: string, port: number, signal?: AbortSignal): Promise<Duplex>
  /** Connects to a Unix socket of the account in a folder of its home; undefined where only a process of the account can. */
  connectToUnixSocket?: (folder: string, name: string, onread?: OnReadOpts) => Promise<Socket>
  /**
   * The files under `folder` of `base` and nothing else; `~` stands for the account's home. The folder must exist. Only
   * the path to the base may contain links: none is followed from there to the folder, whatever the account puts there.
   */
  files(base: string, folder?: string): Files
  /**
   * The files under an absolute path and wherever links in it lead; paths that begin with a slash count from the root
   * of the machine. Fails where `linksBlockedReason` is not null.
   */
  filesBeyond(folder: string): Files
  /** Why links are not followed out of a folder, or null: that takes a process with the rights of the account. */
  linksBlockedReason: string | null
  state(): TransportState
  healthy(): boolean
  onStateChange(listener: (state: TransportState) => void): () => void
  close(): Promise<void>
}
