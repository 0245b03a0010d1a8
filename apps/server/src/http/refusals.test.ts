import { api } from '@flotilla/contract/api'
import { createServer } from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { UPLOAD_PIECE_BYTES } from '@flotilla/contract/jobs/files'
import { REFUSED_BODY_MAX_BYTES } from '@flotilla/contract/limits'
import { drain } from './refusals'
import { Console, type Person } from '../../test/support/console/console'
import { soaking } from '../../test/support/soak'

const MiB = 1024 * 1024
/** A reset loses a reply only now and then, so each case is repeated; `npm run soak` raises the number. */
const TIMES = soaking ? 50 : 5
type Refusal = { statusCode: number; code: string; message: string }

let server: Console
let ada: Person
let upload: string
beforeAll(async () => {
  server = await Console.start()
  ada = await server.person('adalove')
  upload = api.files.upload.path.replace(':cluster', await server.thisMachine())
})
afterAll(() => server.stop())

/** A minimal client: the test decides what it sends, and when. */
class RawClient {
  received = ''
  /** How the connection ended; undefined while it is open. */
  ended: 'closed' | 'reset' | undefined
  private readonly socket: net.Socket
  private constructor(port: number) {
    this.socket = net.connect(port, '127.0.0.1').setEncoding('utf8')
    this.socket.on('data', (text: string) => (this.received += text))
    this.socket.on('end', () => (this.ended ??= 'closed'))
    this.socket.on('error', () => (this.ended ??= 'reset'))
    this.socket.on('close', () => (this.ended ??= 'closed'))
  }
  static async open(port = Number(new URL(server.url).port)): Promise<RawClient> {
    const client = new RawClient(port)
    onTestFinished(() => void client.socket.destroy())
    await new Promise((resolve) => client.socket.once('connect', resolve))
    return client
  }
  stopReading(): void {
    this.socket.pause()
  }
  startReading(): void {
    this.socket.resume()
  }
  head(method: string, route: string, headers: Record<string, string>): Promise<void> {
    const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}`)
    return this.send([`${method} ${route} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
  }
  /** Resolves when the system has accepted the data, or the connection is gone. */
  send(data: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.socket.off('close', done)
        // Writes that complete at once would never let the event loop read the answer.
        setImmediate(resolve)
      }
      this.socket.once('close', done).write(data, done)
    })
  }
  chunk(data: Buffer): Promise<void> {
    return this.send(
      Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]),
    )
  }
  async whenEnded(): Promise<'closed' | 'reset'> {
    while (this.ended === undefined) await sleep(10)
    return this.ended
  }
  async completeReply(): Promise<{ head: string; json: Refusal }> {
    for (;;) {
      const [head = '', body] = this.received.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
      if (body !== undefined && Buffer.byteLength(body) >= length)
        return { head, json: JSON.parse(body) as Refusal }
      if (this.ended) throw new Error(`${this.ended} after: ${this.received}`)
      await sleep(10)
    }
  }
}

const octets = { 'content-type': 'application/octet-stream' }
const as = (person: Person) => ({ ...octets, authorization: `Bearer ${person.token}` })

describe('a rejected upload', () => {
  const cases: [string, { path: string; bytes: number; token?: boolean; type?: string }, number, RegExp][] = [
    [
      'into a folder that does not exist',
      { path: 'none/x', bytes: UPLOAD_PIECE_BYTES },
      404,
      /folder “none” does not exist/,
    ],
    ['larger than a piece may be', { path: 'x', bytes: UPLOAD_PIECE_BYTES + 1 }, 413, /too large/],
    ['much larger', { path: 'x', bytes: 12 * MiB }, 413, /too large/],
    ['without a session', { path: 'x', bytes: 3 * MiB, token: false }, 401, /Log in/],
    ['of another type', { path: 'x', bytes: 3 * MiB, type: 'text/plain' }, 415, /Send/],
  ]
  it.each(cases)(
    '%s gets the reason as its reply, every time',
    async (_name, { path, bytes, token, type }, status, text) => {
      const body = Buffer.alloc(bytes)
      const headers = {
        ...as(ada),
        ...(token === false && { authorization: '' }),
        ...(type && { 'content-type': type }),
      }
      for (let count = 0; count < TIMES; count++) {
        const response = await fetch(`${server.url}${upload}?path=${path}&offset=0`, {
          method: 'PUT',
          headers,
          body,
        })
        expect(response.status).toBe(status)
        expect(((await response.json()) as Refusal).message).toMatch(text)
      }
    },
  )

  it('is answered while it is still being sent, and ends without a reset when the sender stops', async () => {
    const client = await RawClient.open()
    await client.head('PUT', `${upload}?path=x&offset=0`, { ...as(ada), 'content-length': String(20 * MiB) })
    for (let sent = 0; sent < 20; sent++) {
      await client.send(Buffer.alloc(MiB))
      await sleep(20)
      if (sent !== 3) continue
      const { head, json } = await client.completeReply()
      expect(head).toMatch(/^HTTP\/1.1 413 /)
      expect(head).toMatch(/connection: close/i)
      expect(json).toMatchObject({ statusCode: 413, code: 'too_large' })
    }
    expect(await client.whenEnded()).toBe('closed')
  })

  it('gets its reply even if the client reads only after it has sent everything', async () => {
    const client = await RawClient.open()
    client.stopReading()
    await client.head('PUT', `${upload}?path=x&offset=0`, { ...as(ada), 'content-length': String(20 * MiB) })
    for (let sent = 0; sent < 20; sent++) await client.send(Buffer.alloc(MiB))
    client.startReading()
    expect((await client.completeReply()).json.code).toBe('too_large')
    expect(await client.whenEnded()).toBe('closed')
  })

  it('without a content-length is rejected as soon as the limit is exceeded', async () => {
    const client = await RawClient.open()
    client.stopReading()
    await client.head('PUT', `${upload}?path=x&offset=0`, { ...as(ada), 'transfer-encoding': 'chunked' })
    for (let sent = 0; sent < 16; sent++) await client.chunk(Buffer.alloc(MiB))
    await client.send('0\r\n\r\n')
    client.startReading()
    expect((await client.completeReply()).json).toMatchObject({ statusCode: 413, code: 'too_large' })
    expect(await client.whenEnded()).toBe('closed')
  })

  it('to a malformed URL is answered like any other', async () => {
    const client = await RawClient.open()
    client.stopReading()
    await client.head('PUT', '/api/%zz', { ...as(ada), 'content-length': String(20 * MiB) })
    for (let sent = 0; sent < 20; sent++) await client.send(Buffer.alloc(MiB))
    client.startReading()
    expect((await client.completeReply()).json).toMatchObject({ statusCode: 400, code: 'bad_input' })
    expect(await client.whenEnded()).toBe('closed')
  })

  it('that never ends is cut off', async () => {
    const client = await RawClient.open()
    await client.head('PUT', `${upload}?path=x&offset=0`, { ...as(ada), 'transfer-encoding': 'chunked' })
    let sent = 0
    for (; client.ended === undefined && sent < 4 * REFUSED_BODY_MAX_BYTES; sent += MiB)
      await client.chunk(Buffer.alloc(MiB))
    expect((await client.completeReply()).json.code).toBe('too_large')
    // This includes what is in the buffers of both sides.
    expect(sent).toBeLessThan(2 * REFUSED_BODY_MAX_BYTES)
    await server.must(api.health.view, {})
  })

  it('that trickles in is cut off after a while', async () => {
    const slow = createServer((request, response) => {
      response.writeHead(413, { connection: 'close', 'content-length': '2' }).write('{}')
      void drain(request, { bytes: MiB, ms: 300 }).then(() => response.end())
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void slow.close())
    const client = await RawClient.open((slow.address() as net.AddressInfo).port)
    await client.head('PUT', '/', { 'transfer-encoding': 'chunked' })
    while (client.ended === undefined) {
      await client.chunk(Buffer.from('x'))
      await sleep(20)
    }
    expect(client.received).toMatch(/\{\}$/)
  })
})
