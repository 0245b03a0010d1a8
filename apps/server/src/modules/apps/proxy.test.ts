import { once } from 'node:events'
import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
} from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { passRequest } from './proxy'

const portOf = (server: TcpServer | Server) => (server.address() as AddressInfo).port
async function listening<S extends TcpServer | Server>(server: S): Promise<S> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return server
}

/** A proxy in front of the app; answers its port. */
async function proxyTo(app: TcpServer | Server): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  agent.createConnection = () => connect(portOf(app), '127.0.0.1')
  onTestFinished(() => agent.destroy())
  const proxy = createServer((incoming, response) =>
    passRequest(incoming, response, {
      upstream: { agent, token: 'of-the-app' },
      cookies: '',
      frameAncestor: 'http://console',
      onError: (error) => response.writeHead(502).end(error.message),
    }),
  )
  return portOf(await listening(proxy))
}
const app = async (listener: RequestListener) => proxyTo(await listening(createServer(listener)))

const send = async (port: number, options: object, ...body: string[]): Promise<IncomingMessage> => {
  const sent = request({ host: '127.0.0.1', port, agent: false, ...options })
  for (const piece of body) sent.write(piece)
  const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
  return answer
}

it('passes bodies on with and without a length, and answers without a body', async () => {
  const port = await app((incoming, response) => {
    if (incoming.url === '/none') return void response.writeHead(304, { etag: '"a"' }).end()
    let size = 0
    incoming.on('data', (data: Buffer) => (size += data.length))
    incoming.on('end', () => response.end(`${incoming.method} ${size} ${incoming.headers['content-length']}`))
  })
  const piece = 'x'.repeat(1_000_000)
  expect(await text(await send(port, { method: 'POST' }, piece, piece))).toBe('POST 2000000 undefined')
  const headers = { 'content-length': '1000000' }
  expect(await text(await send(port, { method: 'PUT', headers }, piece))).toBe('PUT 1000000 1000000')
  expect(await text(await send(port, { method: 'POST', headers: { 'content-length': '0' } }))).toBe(
    'POST 0 0',
  )
  const head = await send(port, { method: 'HEAD' })
  expect([head.statusCode, await text(head)]).toEqual([200, ''])
  const none = await send(port, { path: '/none' })
  expect([none.statusCode, none.headers.etag, await text(none)]).toEqual([304, '"a"', ''])
})

it('sends a long answer only as fast as its reader takes it, and stops when the reader goes', async () => {
  const total = 64 * 1024 * 1024
  let written = 0
  const closed = new Promise<void>((resolve) => {
    void app((_, response) => {
      const more = () => {
        while (written < total && response.write(Buffer.alloc(65_536))) written += 65_536
      }
      response.on('drain', more).once('close', resolve)
      more()
    }).then(async (port) => {
      const answer = await send(port, {})
      await once(answer, 'readable')
      answer.destroy()
    })
  })
  await closed
  expect(written).toBeLessThan(total)
})

it('passes on answers that end with their connection, however slowly they are read', async () => {
  const size = 1024 * 1024
  for (const ending of ['end', 'destroySoon'] as const) {
    const closing = await listening(
      createTcpServer((socket) => {
        socket
          .on('error', () => {})
          .once('data', () => {
            socket.write('HTTP/1.0 200 Non trouv\xe9\r\n\r\n', 'latin1')
            socket.write(Buffer.alloc(size))
            socket[ending]()
          })
      }),
    )
    const answer = await send(await proxyTo(closing), {})
    // Everything has arrived at the proxy, and waits there.
    await setTimeout(300)
    expect((await text(answer)).length).toBe(size)
  }
  const unchanged = await listening(
    createTcpServer((socket) =>
      socket
        .on('error', () => {})
        .on('data', () => socket.write('HTTP/1.1 304 Not Modified\r\ncontent-length: 1234\r\n\r\n')),
    ),
  )
  const port = await proxyTo(unchanged)
  for (const again of [1, 2]) expect([again, (await send(port, {})).statusCode]).toEqual([again, 304])
})

it('repeats what is safe to repeat when the app closes a kept connection, and nothing else', async () => {
  let connections = 0
  const closing = await listening(
    createTcpServer((socket) => {
      const isFirst = ++connections === 1
      let requests = 0
      socket.on('error', () => {})
      socket.on('data', () => {
        if (isFirst && ++requests > 1) return void socket.destroy()
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      })
    }),
  )
  const port = await proxyTo(closing)
  expect(await text(await send(port, {}))).toBe('ok')
  expect(await text(await send(port, {}))).toBe('ok')
  expect(connections).toBe(2)

  const deaf = await listening(
    createTcpServer((socket) => socket.on('error', () => {}).once('data', () => socket.destroy())),
  )
  expect((await send(await proxyTo(deaf), {})).statusCode).toBe(502)
})

it('answers with an error when the app does not speak HTTP, or two answers are in one', async () => {
  for (const bytes of [
    'SSH-2.0-OpenSSH_9.2\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\nok',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok',
  ]) {
    const odd = await listening(
      createTcpServer((socket) => socket.on('error', () => {}).on('data', () => socket.end(bytes))),
    )
    expect((await send(await proxyTo(odd), {})).statusCode, bytes).toBe(502)
  }
})

it('tells the app about a reader who went before the answer', async () => {
  const gone = new Promise<void>((resolve) => {
    void app((_, response) => void response.once('close', resolve)).then(async (port) => {
      const socket = connect(port, '127.0.0.1')
      socket.write('GET / HTTP/1.1\r\nhost: app\r\n\r\n')
      await setTimeout(200)
      socket.destroy()
    })
  })
  await expect(gone).resolves.toBeUndefined()
})
