import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { Duplex, Readable } from 'node:stream'
import type { OpenFile, OpenFor, Parts, Root } from '../disk'
import { coded, TransportError } from '../error'
import { readFrames, writeFrame } from './frames'
import {
  CHANNEL,
  PROGRAM,
  type DiskCall,
  type FileCall,
  type Replies,
  type Reply,
  type Request,
} from './files-calls'
import { checkAccount, isKnown, type LocalAccount } from './process'
import type { LocalDisk } from './disk'

/** A worker ends after being idle for this long; the next call starts another within 100 ms. */
const idleMs = 30_000
/** A network file system can hang; the worker is then abandoned, so that its callers do not wait forever. */
const callMs = 60_000

/** A worker and the calls to it. */
type Worker = { child: ChildProcess; channel: Duplex }

interface Waiting {
  worker: Worker
  resolve(reply: { result: unknown; body: Buffer }): void
  reject(error: unknown): void
}

type Unsent<T> = T extends unknown ? Omit<T, 'id'> : never

/** The account to access files as: another account, or the server's own inside a namespace. */
export interface FilesOwner {
  as?: LocalAccount
  /** The command prefix of the worker that enters the account's sandbox as the account. */
  enter?: readonly string[]
}

/** Makes file calls as an account through a worker that is started on demand (files-worker.ts). */
export class FilesWorker {
  private worker: Worker | undefined
  private readonly waiting = new Map<number, Waiting>()
  private nextId = 1
  private openFiles = 0
  private idle: NodeJS.Timeout | undefined

  constructor(
    private readonly owner: FilesOwner,
    /** Path of the built worker. */
    private readonly file: string,
  ) {}

  disk(root: Root): LocalDisk {
    const request = async <C extends DiskCall['call']>(
      call: Extract<DiskCall, { call: C | string }> & { call: C },
    ) =>
      // The worker is our own code of the same build, so its replies have the type of the call.
      (await this.call({ ...call, root })).result as Replies[C]
    return {
      list: (parts, limit) => request({ call: 'list', parts, limit }),
      stat: (parts) => request({ call: 'stat', parts }),
      resolve: (parts) => request({ call: 'resolve', parts }),
      mkdir: async (parts) => void (await request({ call: 'mkdir', parts })),
      permit: async (parts, permissions) => void (await request({ call: 'permit', parts, permissions })),
      remove: async (parts, { recursive }) => void (await request({ call: 'remove', parts, recursive })),
      rename: async (parts, to, { replace }) => void (await request({ call: 'rename', parts, to, replace })),
      open: async (parts: Parts, how: OpenFor) => this.opened(await request({ call: 'open', parts, how })),
      pack: async (parts) => {
        const { next, close } = this.opened(await request({ call: 'pack', parts }))
        return new Readable({
          read() {
            next().then(
              (data) => this.push(data.length > 0 ? data : null),
              (error: Error) => this.destroy(error),
            )
          },
          destroy: (error, done) => {
            const over = () => done(error)
            close().then(over, over)
          },
        })
      },
    }
  }

  close(): void {
    clearTimeout(this.idle)
    this.worker?.channel.end()
    this.worker = undefined
  }

  private opened(file: number): OpenFile & { next(): Promise<Buffer> } {
    const { worker } = this
    this.openFiles++
    let closed = false
    const request = async <C extends FileCall['call']>(
      call: Extract<FileCall, { call: C | string }> & { call: C },
      body?: Buffer,
    ) => {
      if (this.worker !== worker) throw this.lost()
      const reply = await this.call({ ...call, file }, body)
      return { result: reply.result as Replies[C], body: reply.body } // as above
    }
    return {
      look: async () => (await request({ call: 'look' })).result,
      next: async () => (await request({ call: 'next' })).body,
      read: async (offset, length) => (await request({ call: 'read', offset, length })).body,
      search: async (slice) => (await request({ call: 'search', slice })).result,
      write: async (offset, data) => void (await request({ call: 'write', offset }, data)),
      truncate: async (size) => void (await request({ call: 'truncate', size })),
      permit: async (permissions) => void (await request({ call: 'permit', permissions })),
      sync: async () => void (await request({ call: 'sync' })),
      close: async () => {
        if (closed) return
        closed = true
        this.openFiles--
        if (this.worker === worker) await request({ call: 'close' })
      },
    }
  }

  private call(request: Unsent<Request>, body?: Buffer): Promise<{ result: unknown; body: Buffer }> {
    const worker = (this.worker ??= this.start())
    const id = this.nextId++
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        worker.child.kill('SIGKILL')
        reject(
          new TransportError('read file', 'timed out', 'The file system did not respond within a minute.'),
        )
      }, callMs)
      const complete =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer)
          this.waiting.delete(id)
          this.rest()
          then(value)
        }
      this.waiting.set(id, { worker, resolve: complete(resolve), reject: complete(reject) })
      writeFrame(worker.channel, { ...request, id }, body)
    })
  }

  private start(): Worker {
    const { as, enter = [] } = this.owner
    checkAccount(as)
    const other = as && as.uid !== process.getuid?.() ? as : undefined
    const account =
      other && enter.length === 0
        ? [String(other.uid), String(other.gid), isKnown(other) ? other.username : '']
        : ['self']
    const node = enter.length > 0 ? `/proc/self/fd/${PROGRAM}` : process.execPath
    const flags = ['--max-old-space-size=64', '--input-type=module', '-']
    const [program = '', ...args] = [...enter, node, ...flags, ...account]
    const opened = [this.open(this.file), this.open(process.execPath)] as const
    try {
      const child = spawn(program, args, {
        cwd: '/',
        // Disables io_uring, with which some calls would keep the privileges that the worker dropped.
        env: { UV_USE_IO_URING: '0', PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
        stdio: descriptors(...opened),
        detached: true,
      })
      return this.watch(child)
    } finally {
      for (const fd of opened) closeSync(fd)
    }
  }

  /** Fails with an error that cannot be mistaken for one about the user's file. */
  private open(program: string): number {
    try {
      return openSync(program, 'r')
    } catch (error) {
      const message = `The file helper process cannot be started: ${String(error)}`
      throw new TransportError('read file', 'unusable', message, { cause: error })
    }
  }

  private watch(child: ChildProcess): Worker {
    const pipes: readonly unknown[] = child.stdio // its type knows the first five only
    const channel = pipes[CHANNEL]
    // Always true for a child that was started with pipes.
    if (!(channel instanceof Duplex)) throw this.lost()
    const worker = { child, channel }
    let output = ''
    child.stderr?.on('data', (data: Buffer) => (output = (output + data.toString()).slice(-2_000)))
    channel.on('error', () => undefined)
    child.once('error', (error) => this.ended(worker, error.message))
    child.once('close', () => this.ended(worker, output))
    this.listen(channel).catch(() => child.kill('SIGKILL'))
    return worker
  }

  private async listen(channel: Duplex): Promise<void> {
    for await (const { head, body } of readFrames(channel)) {
      const reply = head as Reply // our own code of the same build
      const waiting = this.waiting.get(reply.id)
      if ('error' in reply) waiting?.reject(coded(reply.error.code ?? 'EFAILED', reply.error.message))
      else waiting?.resolve({ result: reply.result, body })
    }
  }

  private ended(worker: Worker, output: string): void {
    if (this.worker === worker) this.worker = undefined
    const error = this.lost(output)
    for (const one of this.waiting.values()) if (one.worker === worker) one.reject(error)
  }

  /** Schedules the worker's end. An open file keeps it running, because its next read may be minutes away. */
  private rest(): void {
    clearTimeout(this.idle)
    if (this.waiting.size > 0 || this.openFiles > 0) return
    this.idle = setTimeout(() => this.close(), idleMs).unref()
  }

  private lost(output = ''): TransportError {
    const name = this.owner.as?.username ?? 'the console’s account'
    return new TransportError(
      'switch account',
      'lost',
      `The file helper process of ${name} exited. ${output}`.trim(),
    )
  }
}

/** The descriptors of a worker: its code is its stdin, and 3 to 6 are left to the sandbox. */
function descriptors(code: number, node: number): StdioOptions {
  const stdio: StdioOptions = [code, 'ignore', 'pipe', 'ignore', 'ignore', 'ignore', 'ignore']
  stdio[CHANNEL] = 'pipe'
  stdio[PROGRAM] = node
  return stdio
}
