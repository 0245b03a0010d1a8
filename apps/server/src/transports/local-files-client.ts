import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import type { OpenFile, OpenFor, Parts } from './disk'
import { coded, TransportError } from './error'
import { readFrames, writeFrame } from './frames'
import type { DiskCall, FileCall, Replies, Reply, Request } from './local-files-calls'
import { checkAccount, isKnown, type LocalAccount } from './local-process'
import type { LocalDisk } from './local-disk'

/** Unused for so long, a worker ends; the next call starts another in a tenth of a second. */
const idleMs = 30_000
/** A network file system can stand still; the worker is given up rather than everybody who waits for it. */
const callMs = 60_000

interface Waiting {
  child: ChildProcess
  resolve(reply: { result: unknown; body: Buffer }): void
  reject(error: unknown): void
}

type Unsent<T> = T extends unknown ? Omit<T, 'id'> : never

/** File calls as another account, by a worker that is started when needed (local-files-worker.ts). */
export class FilesWorker {
  private child: ChildProcess | undefined
  private readonly waiting = new Map<number, Waiting>()
  private nextId = 1
  private openFiles = 0
  private idle: NodeJS.Timeout | undefined

  constructor(
    private readonly account: LocalAccount,
    /** The built worker; beside the server's own bundle unless given. */
    private readonly file = path.join(import.meta.dirname, 'local-files-worker.js'),
  ) {}

  disk(root: string): LocalDisk {
    const ask = async <C extends DiskCall['call']>(
      request: Extract<DiskCall, { call: C | string }> & { call: C },
    ) =>
      // The worker is our own code of the same build: its replies are of the type of the call.
      (await this.call({ ...request, root })).result as Replies[C]
    return {
      list: (parts, limit) => ask({ call: 'list', parts, limit }),
      stat: (parts) => ask({ call: 'stat', parts }),
      resolve: (parts) => ask({ call: 'resolve', parts }),
      mkdir: async (parts) => void (await ask({ call: 'mkdir', parts })),
      remove: async (parts, { recursive }) => void (await ask({ call: 'remove', parts, recursive })),
      rename: async (parts, to, { replace }) => void (await ask({ call: 'rename', parts, to, replace })),
      open: async (parts: Parts, how: OpenFor) => this.opened(await ask({ call: 'open', parts, how })),
      hold: async (parts) => {
        const { file, fd } = await ask({ call: 'hold', parts })
        const { close } = this.opened(file)
        return { fd, place: `/proc/${this.child?.pid}/fd/${fd}`, release: close }
      },
    }
  }

  close(): void {
    clearTimeout(this.idle)
    this.child?.stdin?.end()
    this.child = undefined
  }

  private opened(file: number): OpenFile {
    const child = this.child
    this.openFiles++
    let closed = false
    const ask = async <C extends FileCall['call']>(
      request: Extract<FileCall, { call: C | string }> & { call: C },
      body?: Buffer,
    ) => {
      if (this.child !== child) throw lost(this.account)
      const reply = await this.call({ ...request, file }, body)
      return { result: reply.result as Replies[C], body: reply.body } // as above
    }
    return {
      look: async () => (await ask({ call: 'look' })).result,
      read: async (offset, length) => (await ask({ call: 'read', offset, length })).body,
      write: async (offset, data) => void (await ask({ call: 'write', offset }, data)),
      truncate: async (size) => void (await ask({ call: 'truncate', size })),
      permit: async (permissions) => void (await ask({ call: 'permit', permissions })),
      sync: async () => void (await ask({ call: 'sync' })),
      close: async () => {
        if (closed) return
        closed = true
        this.openFiles--
        if (this.child === child) await ask({ call: 'close' })
      },
    }
  }

  private call(request: Unsent<Request>, body?: Buffer): Promise<{ result: unknown; body: Buffer }> {
    const child = (this.child ??= this.start())
    const id = this.nextId++
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL')
        reject(
          new TransportError('read file', 'timed out', 'The file system did not answer within a minute.'),
        )
      }, callMs)
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer)
          this.waiting.delete(id)
          this.rest()
          then(value)
        }
      this.waiting.set(id, { child, resolve: settle(resolve), reject: settle(reject) })
      if (child.stdin) writeFrame(child.stdin, { ...request, id }, body)
    })
  }

  private start(): ChildProcess {
    checkAccount(this.account)
    const { uid, gid, username } = this.account
    const args = [String(uid), String(gid), isKnown(this.account) ? username : '']
    const child = spawn(process.execPath, ['--max-old-space-size=64', this.file, ...args], {
      cwd: '/',
      // Node's own switch: with io_uring some calls would keep the rights that were given up.
      env: { UV_USE_IO_URING: '0', PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    let said = ''
    child.stderr.on('data', (data: Buffer) => (said = (said + data.toString()).slice(-2_000)))
    child.stdin.on('error', () => undefined)
    child.once('error', (error) => this.ended(child, error.message))
    child.once('close', () => this.ended(child, said))
    void this.listen(child)
    return child
  }

  private async listen(child: ChildProcess): Promise<void> {
    if (!child.stdout) return
    for await (const { head, body } of readFrames(child.stdout)) {
      const reply = head as Reply // our own code of the same build
      const waiting = this.waiting.get(reply.id)
      if ('error' in reply) waiting?.reject(coded(reply.error.code ?? 'EFAILED', reply.error.message))
      else waiting?.resolve({ result: reply.result, body })
    }
  }

  private ended(child: ChildProcess, said: string): void {
    if (this.child === child) this.child = undefined
    const error = lost(this.account, said)
    for (const one of this.waiting.values()) if (one.child === child) one.reject(error)
  }

  /** An open file keeps the worker: its next read may be minutes away. */
  private rest(): void {
    clearTimeout(this.idle)
    if (this.waiting.size > 0 || this.openFiles > 0) return
    this.idle = setTimeout(() => this.close(), idleMs).unref()
  }
}

const lost = (account: LocalAccount, said = '') =>
  new TransportError(
    'change account',
    'lost',
    `The helper that reads files as ${account.username} ended. ${said}`.trim(),
  )
