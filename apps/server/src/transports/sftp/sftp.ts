import type { Duplex } from 'node:stream'
import { coded, TransportError } from '../error'
import { atEnd, attributes, kind, Reader, statusText, text, uint32, uint64, type Attributes } from './packets'

/** Every server accepts reads and writes of this size. */
const pieceBytes = 32 * 1024
/** Longer than any packet of a correct server. */
const longestPacket = 1024 * 1024

interface Answer {
  kind: number
  reader: Reader
}
interface Waiting {
  resolve(answer: Answer): void
  reject(error: unknown): void
  timer: NodeJS.Timeout
}

export interface NamedAttributes extends Attributes {
  name: string
}

/**
 * SFTP over any channel: the subsystem's, or that of a command that runs the SFTP server as another account, which
 * ssh2's own client does not support. Calls may overlap. A call without a reply within `timeoutMs` ends the session,
 * because the server handles calls sequentially and is blocked by it.
 */
export class Sftp {
  private readonly waiting = new Map<number, Waiting>()
  private readonly extensions = new Set<string>()
  private nextId = 1
  private pending: Buffer = Buffer.alloc(0)
  private failure: TransportError | undefined
  private ready: (() => void) | undefined

  private constructor(
    private readonly channel: Duplex,
    private readonly timeoutMs: number,
  ) {
    channel.on('data', (data: Buffer) => this.take(data))
    channel.on('error', () => undefined)
    channel.once('close', () =>
      this.end(new TransportError('read file', 'lost', 'The remote host closed the SFTP connection.')),
    )
  }

  static async open(channel: Duplex, { timeoutMs = 30_000 } = {}): Promise<Sftp> {
    const sftp = new Sftp(channel, timeoutMs)
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        sftp.end(new TransportError('open channel', 'unusable', 'The SFTP server does not respond.'))
      }, timeoutMs)
      sftp.waiting.set(0, { resolve: () => undefined, reject, timer })
      sftp.ready = () => {
        clearTimeout(timer)
        sftp.waiting.delete(0)
        resolve()
      }
      sftp.send(kind.init, [uint32(3)])
    })
    return sftp
  }

  get usable(): boolean {
    return this.failure === undefined
  }

  close(): void {
    this.end(new TransportError('read file', 'canceled', 'The SFTP connection was closed.'))
  }

  realpath = async (path: string) => (await this.names(kind.realpath, path))[0]?.name ?? path
  stat = (path: string) => this.attributesOf(kind.stat, text(path))
  lstat = (path: string) => this.attributesOf(kind.lstat, text(path))
  fstat = (handle: Buffer) => this.attributesOf(kind.fstat, text(handle))
  remove = (path: string) => this.done(kind.remove, [text(path)])
  rmdir = (path: string) => this.done(kind.rmdir, [text(path)])
  mkdir = (path: string) => this.done(kind.mkdir, [text(path), attributes({})])
  /** Fails if the target exists. */
  rename = (from: string, to: string) => this.done(kind.rename, [text(from), text(to)])
  /** Replaces the target atomically. */
  replace = (from: string, to: string) => this.extended('posix-rename@openssh.com', [text(from), text(to)])
  permit = (path: string, mode: number) => this.done(kind.setstat, [text(path), attributes({ mode })])
  set = (handle: Buffer, what: { size?: number; mode?: number }) =>
    this.done(kind.fsetstat, [text(handle), attributes(what)])
  closeHandle = (handle: Buffer) => this.done(kind.close, [text(handle)])
  open = (path: string, flags: number, mode?: number) =>
    this.handle(kind.open, [text(path), uint32(flags), attributes({ mode })])
  openFolder = (path: string) => this.handle(kind.opendir, [text(path)])

  /** Syncs the file to disk, if the server supports it; other servers have written it before they reply. */
  async sync(handle: Buffer): Promise<void> {
    if (this.extensions.has('fsync@openssh.com')) await this.extended('fsync@openssh.com', [text(handle)])
  }

  /** Free bytes for the account on the path's file system, if the server reports it. */
  async freeBytes(path: string): Promise<number | undefined> {
    if (!this.extensions.has('statvfs@openssh.com')) return undefined
    const { reader } = await this.call(
      kind.extended,
      [text('statvfs@openssh.com'), text(path)],
      kind.extendedReply,
    )
    reader.uint64()
    const [fragment, , , available] = [reader.uint64(), reader.uint64(), reader.uint64(), reader.uint64()]
    return fragment * available
  }

  /** Reads the next entries of an open folder; undefined at the end. */
  async readFolder(handle: Buffer): Promise<NamedAttributes[] | undefined> {
    const answer = await this.call(kind.readdir, [text(handle)], kind.name, { endAllowed: true })
    return answer.kind === kind.status ? undefined : namesIn(answer.reader)
  }

  /** Reads many pieces concurrently; the data ends at the first piece that is incomplete. */
  async read(handle: Buffer, offset: number, length: number): Promise<Buffer> {
    const pieces: Promise<Buffer>[] = []
    for (let at = 0; at < length; at += pieceBytes)
      pieces.push(this.readPiece(handle, offset + at, Math.min(pieceBytes, length - at)))
    const all = await Promise.all(pieces)
    const short = all.findIndex((piece) => piece.length < pieceBytes)
    return Buffer.concat(short === -1 ? all : all.slice(0, short + 1))
  }

  async write(handle: Buffer, offset: number, data: Buffer): Promise<void> {
    const pieces: Promise<void>[] = []
    for (let at = 0; at < data.length; at += pieceBytes)
      pieces.push(
        this.done(kind.write, [text(handle), uint64(offset + at), text(data.subarray(at, at + pieceBytes))]),
      )
    await Promise.all(pieces)
  }

  private async readPiece(handle: Buffer, offset: number, length: number): Promise<Buffer> {
    const fields = [text(handle), uint64(offset), uint32(length)]
    const answer = await this.call(kind.read, fields, kind.data, { endAllowed: true })
    return answer.kind === kind.status ? Buffer.alloc(0) : answer.reader.buffer()
  }

  private done = async (what: number, fields: Buffer[]) => void (await this.call(what, fields, kind.status))
  private handle = async (what: number, fields: Buffer[]) =>
    (await this.call(what, fields, kind.handle)).reader.buffer()
  private names = async (what: number, path: string) =>
    namesIn((await this.call(what, [text(path)], kind.name)).reader)
  private attributesOf = async (what: number, field: Buffer) =>
    (await this.call(what, [field], kind.attrs)).reader.attributes()

  private async extended(name: string, fields: Buffer[]): Promise<void> {
    if (!this.extensions.has(name)) throw coded('ENOTSUP', `the SFTP server does not support ${name}`)
    await this.done(kind.extended, [text(name), ...fields])
  }

  private async call(
    what: number,
    fields: Buffer[],
    expected: number,
    { endAllowed = false } = {},
  ): Promise<Answer> {
    const answer = await new Promise<Answer>((resolve, reject) => {
      if (this.failure) return reject(this.failure)
      const id = this.nextId++
      const timer = setTimeout(
        () =>
          this.end(new TransportError('read file', 'timed out', 'The remote file system does not respond.')),
        this.timeoutMs,
      )
      this.waiting.set(id, { resolve, reject, timer })
      this.send(what, [uint32(id), ...fields])
    })
    if (answer.kind === expected && expected !== kind.status) return answer
    if (answer.kind !== kind.status) throw coded('EFAILED', 'the SFTP server sent an unexpected reply')
    const status = answer.reader.uint32()
    if (status === 0 || (status === atEnd && endAllowed)) return answer
    const [code, words] = statusText[status] ?? ['EFAILED', `status ${status}`]
    const output = answer.reader.ended ? '' : answer.reader.text()
    throw coded(code, output || words)
  }

  private send(what: number, fields: Buffer[]): void {
    const body = Buffer.concat(fields)
    this.channel.write(Buffer.concat([uint32(body.length + 1), Buffer.from([what]), body]))
  }

  private take(data: Buffer): void {
    this.pending = this.pending.length === 0 ? data : Buffer.concat([this.pending, data])
    try {
      while (this.pending.length >= 4) {
        const length = this.pending.readUInt32BE(0)
        if (length > longestPacket || length < 5) throw new RangeError('not an SFTP packet')
        if (this.pending.length < 4 + length) return
        this.handlePacket(this.pending.subarray(4, 4 + length))
        this.pending = this.pending.subarray(4 + length)
      }
    } catch {
      const message =
        'The remote host did not speak SFTP. The usual cause is a shell profile that prints text.'
      this.end(new TransportError('open channel', 'unusable', message))
    }
  }

  private handlePacket(packet: Buffer): void {
    const what = packet[0]
    const reader = new Reader(packet.subarray(1))
    if (what === kind.version) {
      for (reader.uint32(); !reader.ended; reader.buffer()) this.extensions.add(reader.text())
      return this.ready?.()
    }
    const id = reader.uint32()
    const waiting = this.waiting.get(id)
    if (!waiting || what === undefined) return
    clearTimeout(waiting.timer)
    this.waiting.delete(id)
    waiting.resolve({ kind: what, reader })
  }

  private end(failure: TransportError): void {
    if (this.failure) return
    this.failure = failure
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer)
      reject(failure)
    }
    this.waiting.clear()
    this.channel.destroy()
  }
}

function namesIn(reader: Reader): NamedAttributes[] {
  return Array.from({ length: reader.uint32() }, () => {
    const name = reader.text()
    // Skips the long name, a line in the format of `ls -l`.
    reader.buffer()
    return { name, ...reader.attributes() }
  })
}
