import { WebSocket } from 'ws'
import { DESKTOP_SOCKET, DesktopHandshake } from '@flotilla/contract/desktops/desktops'
import { ByteReader } from '../../../src/modules/desktops/vnc/byte-reader'
import { answerChallenge } from '../../../src/modules/desktops/vnc/auth'

const ENTER = 0xff0d

/** A VNC viewer over the console's WebSocket, which can also send what no browser would. */
export class VncViewer {
  readonly closed: Promise<{ code: number; reason: string }>
  private constructor(
    private readonly socket: WebSocket,
    readonly handshake: DesktopHandshake,
    private readonly reader: ByteReader,
  ) {
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    )
  }

  /** Presents the ticket; the server's reply is in `handshake`. */
  static async open(url: string, ticket: string): Promise<VncViewer> {
    const socket = new WebSocket(url.replace('http', 'ws') + DESKTOP_SOCKET)
    // There is no limit, because tests read whole screens.
    const reader = new ByteReader(() => socket.terminate(), Infinity)
    const handshake = new Promise<DesktopHandshake>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('close', (code) => reject(new Error(`closed with ${code}`)))
      socket.on('message', (data, isBinary) => {
        if (isBinary) reader.push(data as Buffer)
        else resolve(DesktopHandshake.parse(JSON.parse((data as Buffer).toString())))
      })
    })
    socket.on('close', () => reader.end(new Error('closed')))
    socket.once('open', () => socket.send(ticket))
    return new VncViewer(socket, await handshake, reader)
  }

  /** Completes the handshake and returns the name and the size of the desktop. */
  async begin(password?: string): Promise<{ name: string; width: number; height: number }> {
    this.send(await this.reader.read(12))
    const [count = 0] = await this.reader.read(1)
    const [type = 0] = await this.reader.read(count)
    this.send(Buffer.from([type]))
    if (type === 2) this.send(answerChallenge(password ?? '', await this.reader.read(16)))
    if ((await this.reader.read(4)).readUInt32BE() !== 0)
      throw new Error((await this.reader.read((await this.reader.read(4)).readUInt32BE())).toString())
    this.send(Buffer.from([0]))
    const init = await this.reader.read(24)
    const name = await this.reader.read(init.readUInt32BE(20))
    return { name: name.toString(), width: init.readUInt16BE(0), height: init.readUInt16BE(2) }
  }

  send(bytes: Buffer): void {
    this.socket.send(bytes)
  }

  key(code: number): void {
    for (const down of [1, 0]) {
      const message = Buffer.from([4, down, 0, 0, 0, 0, 0, 0])
      message.writeUInt32BE(code, 4)
      this.send(message)
    }
  }

  /** Types a line of characters that need no Shift, and then Enter. */
  type(line: string): void {
    for (const char of line) this.key(char.charCodeAt(0))
    this.key(ENTER)
  }

  /** Clicks at a position: openbox gives the keyboard focus to the window that was clicked. */
  click(x: number, y: number): void {
    for (const mask of [0, 1, 0]) {
      const message = Buffer.from([5, mask, 0, 0, 0, 0])
      message.writeUInt16BE(x, 2)
      message.writeUInt16BE(y, 4)
      this.send(message)
    }
  }

  /** The distinct colors of the next screen update, in the raw encoding, which every server supports. */
  async colors({ width, height }: { width: number; height: number }): Promise<Set<number>> {
    this.send(Buffer.from([2, 0, 0, 1, 0, 0, 0, 0]))
    const request = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    request.writeUInt16BE(width, 6)
    request.writeUInt16BE(height, 8)
    this.send(request)
    const colors = new Set<number>()
    const update = await this.reader.read(4)
    if (update[0] !== 0) throw new Error(`an unexpected message of type ${update[0]}`)
    for (let rectangles = update.readUInt16BE(2); rectangles > 0; rectangles--) {
      const head = await this.reader.read(12)
      const size = head.readUInt16BE(4) * head.readUInt16BE(6)
      const pixels = await this.reader.read(4 * size)
      for (let at = 0; at < size; at++) colors.add(pixels.readUInt32LE(4 * at) & 0xffffff)
    }
    return colors
  }

  close(): void {
    this.socket.close()
  }
}
