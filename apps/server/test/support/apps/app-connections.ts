import { once } from 'node:events'
import {
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { listening, proxyTo, rawApp, send, type ConnectTo } from './app-proxy'
import { until } from '../until'

const MB = 1024 * 1024
const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** How the proxy handles its connections to an app, direct or through SSH. */
export function describeAppConnections(connectTo?: ConnectTo): void {
  const app = async (listener: RequestListener) => proxyTo(await listening(createServer(listener)), connectTo)

  it('sends a long response only as fast as the client reads it, and stops when the client disconnects', async () => {
    let written = 0
    let isClosed = false
    const port = await app((_, response) => {
      const more = () => {
        while (written < 1024 * MB && response.write(Buffer.alloc(65_536))) written += 65_536
      }
      response.on('drain', more).once('close', () => (isClosed = true))
      more()
    })
    const answer = await send(port, {})
    await once(answer, 'readable')
    // Waits until writing stalls because every buffer is full.
    for (let before = -1; before < written; await setTimeout(300)) before = written
    expect(written).toBeLessThan(64 * MB)
    answer.destroy()
    await until(() => isClosed)
  })

  it('passes on responses that end by closing the connection, however slowly they are read', async () => {
    for (const head of [
      'HTTP/1.0 200 Non trouv\xe9\r\n\r\n',
      'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n',
      `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${MB}\r\n\r\n`,
    ])
      for (const ending of ['end', 'destroySoon'] as const) {
        const closing = await rawApp((socket) =>
          socket.once('data', () => {
            socket.write(head, 'latin1')
            socket.write(Buffer.alloc(MB))
            socket[ending]()
          }),
        )
        const port = await proxyTo(closing, connectTo)
        const answer = await send(port, {})
        // By now the whole response is buffered in the proxy.
        await setTimeout(300)
        expect((await text(answer)).length, head).toBe(MB)
        expect((await text(await send(port, {}))).length, head).toBe(MB)
      }
  })

  it('recognizes responses without a body and reuses their connection', async () => {
    let connections = 0
    const none = await rawApp((socket) => {
      connections++
      socket.on('data', (data) => {
        const status = data.toString().startsWith('HEAD') ? 200 : Number(data.toString().slice(5, 8))
        socket.write(`HTTP/1.1 ${status} Nothing\r\n${status === 204 ? '' : 'content-length: 1234\r\n'}\r\n`)
      })
    })
    const port = await proxyTo(none, connectTo)
    for (const options of [{ path: '/304' }, { path: '/204' }, { method: 'HEAD' }, { path: '/304' }])
      expect(await text(await send(port, options))).toBe('')
    expect(connections).toBe(1)
  })

  it('retries only idempotent requests when the app closes a kept-alive connection', async () => {
    const requests: string[] = []
    const closing = await rawApp((socket) => {
      let isFirst = true
      socket.on('data', (data) => {
        requests.push(data.toString().split(' ', 1)[0] ?? '')
        if (isFirst) socket.write(ok)
        else socket.destroy()
        isFirst = false
      })
    })
    const port = await proxyTo(closing, connectTo)
    expect(await text(await send(port, {}))).toBe('ok')
    expect(await text(await send(port, {}))).toBe('ok')
    expect(requests.splice(0)).toEqual(['GET', 'GET', 'GET'])
    expect((await send(port, { method: 'POST' })).statusCode).toBe(502)
    expect(requests).toEqual(['POST'])

    const deaf = await rawApp((socket) => socket.once('data', () => socket.destroy()))
    expect((await send(await proxyTo(deaf, connectTo), {})).statusCode).toBe(502)
  })

  it('does not reuse a connection that the app has closed meanwhile', async () => {
    let connections = 0
    let closed = 0
    const leaving = await rawApp((socket) => {
      connections++
      socket.once('data', () => socket.write(ok, () => void setTimeout(50).then(() => socket.end())))
      socket.once('close', () => closed++)
    })
    const port = await proxyTo(leaving, connectTo)
    for (const count of [1, 2, 3]) {
      // A POST is never retried, so a stale connection would make it fail.
      expect(await text(await send(port, { method: 'POST' }))).toBe('ok')
      expect(connections).toBe(count)
      await until(() => closed === count)
    }
  })

  it('aborts the response where the app aborts it', async () => {
    const half = await rawApp((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')),
    )
    const port = await proxyTo(half, connectTo)
    for (const again of [1, 2])
      await expect(text(await send(port, {})), String(again)).rejects.toThrow('aborted')
  })

  it('passes on a response that the app sends before it has read the request', async () => {
    const early = await rawApp((socket) =>
      socket.once('data', () => {
        socket.pause()
        socket.end('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno')
      }),
    )
    const port = await proxyTo(early, connectTo)
    for (const again of [1, 2]) {
      const headers = { 'content-length': String(64 * MB) }
      const sent = request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false })
      sent.on('error', () => {}).write(Buffer.alloc(4 * MB))
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      expect([again, answer.statusCode, await text(answer)]).toEqual([again, 413, 'no'])
      sent.destroy()
    }
  })

  it('closes the connection to the app when the client disconnects before the response', async () => {
    const states: string[] = []
    const port = await app((_, response) => {
      states.push('here')
      response.once('close', () => states.push('gone'))
    })
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nhost: app\r\n\r\n')
    await until(() => states.length === 1)
    socket.destroy()
    await until(() => states.length === 2)
    expect(states).toEqual(['here', 'gone'])
  })

  it('limits the connections to an app and queues further requests', async () => {
    const held: ServerResponse[] = []
    const server = createServer((_, response) => void held.push(response))
    let open = 0
    server.on('connection', (socket) => {
      open++
      socket.once('close', () => open--)
    })
    const port = await proxyTo(await listening(server), connectTo)
    const answers = Promise.all(Array.from({ length: 200 }, async () => text(await send(port, {}))))
    for (let left = 200; left > 0; left -= 64) {
      await until(() => held.length === Math.min(left, 64))
      expect(open).toBeLessThanOrEqual(64)
      for (const response of held.splice(0)) response.end('ok')
    }
    expect(new Set(await answers)).toEqual(new Set(['ok']))
    // Some connections are kept alive.
    await until(() => open === 16)
  })
}
