import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { describeAppConnections } from '../../../../test/support/apps/app-connections'
import { listening, proxyTo, rawApp, send } from '../../../../test/support/apps/app-proxy'

const app = async (listener: RequestListener) => proxyTo(await listening(createServer(listener)))

it('forwards bodies with and without a length, and responses without a body', async () => {
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

it('returns an error if the app does not speak HTTP or sends an invalid response', async () => {
  for (const bytes of [
    'SSH-2.0-OpenSSH_9.2\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\nok',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok',
    // Node accepts these two from the app but refuses to send them.
    'HTTP/1.1 200 O\u0001K\r\ncontent-length: 2\r\n\r\nok',
    'HTTP/1.1 099 OK\r\ncontent-length: 2\r\n\r\nok',
    // Protocol switches that were not requested.
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  ]) {
    const odd = await rawApp((socket) => socket.on('data', () => socket.end(bytes)))
    expect((await send(await proxyTo(odd), {})).statusCode, bytes).toBe(502)
  }
})

it('forwards file names in headers with the bytes that the app sent', async () => {
  const bytes =
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-disposition: attachment; filename="日本 ü.txt"\r\n\r\nok'
  const odd = await rawApp((socket) => socket.on('data', () => socket.end(bytes)))
  const answer = await send(await proxyTo(odd), {})
  const name = Buffer.from(answer.headers['content-disposition'] ?? '', 'latin1').toString()
  expect([answer.statusCode, name, await text(answer)]).toEqual([
    200,
    'attachment; filename="日本 ü.txt"',
    'ok',
  ])
})

it('does not reuse a connection on which the app responded before it received the whole request', async () => {
  let connections = 0
  const early = await rawApp((socket) => {
    connections++
    socket.on('data', () => socket.write('HTTP/1.1 413 Too large\r\ncontent-length: 2\r\n\r\nno'))
  })
  const port = await proxyTo(early)
  const uploading = connect(port, '127.0.0.1')
  uploading.write('POST / HTTP/1.1\r\nhost: app\r\ncontent-length: 10\r\n\r\nhello')
  await once(uploading, 'data')
  expect((await send(port, {})).statusCode).toBe(413)
  expect(connections).toBe(2)
  uploading.destroy()
})

it('rejects an upgrade request with a body', async () => {
  let seen = 0
  const port = await app((_, response) => void response.end(String(++seen)))
  const socket = connect(port, '127.0.0.1')
  socket.write(
    'POST / HTTP/1.1\r\nhost: app\r\nconnection: Upgrade\r\nupgrade: websocket\r\ncontent-length: 5\r\n\r\nhello',
  )
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400/)
  expect(seen).toBe(0)
})

it('rejects ambiguous requests that could smuggle a second one', async () => {
  let seen = 0
  const port = await app((_, response) => void response.end(String(++seen)))
  for (const lines of [
    'content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'content-length: 3\r\ncontent-length: 4\r\n\r\nabcd',
    'transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    'x: a\rtransfer-encoding: chunked\r\n\r\n',
    'x: a\ntransfer-encoding : chunked\r\n\r\n',
    'content-length : 3\r\n\r\nabc',
    'transfer-encoding: chunked\r\n\r\n1\n\na\r\n0\r\n\r\n',
  ]) {
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST / HTTP/1.1\r\nhost: app\r\nconnection: close\r\n${lines}`)
    expect(await text(socket), lines).toMatch(/^HTTP\/1\.1 (400|502)/)
  }
  expect(await text(await send(port, {}))).toBe('1')
})

it('removes headers of a single connection and adds its own', async () => {
  const port = await app((incoming, response) => {
    response.setHeader('connection', 'keep-alive, x-own')
    response.setHeader('x-own', 'a')
    response.setHeader('set-cookie', ['a=1', 'b=2'])
    response.setHeader('x-frame-options', 'DENY')
    response.end(JSON.stringify(incoming.headers))
  })
  const headers = {
    connection: 'close, x-mine, content-length',
    'x-mine': 'a',
    te: 'trailers',
    cookie: 'a=b',
  }
  const answer = await send(port, { method: 'POST', headers })
  expect(answer.headers).toMatchObject({
    'set-cookie': ['a=1', 'b=2'],
    'content-security-policy': "frame-ancestors 'self' http://console",
  })
  expect(answer.headers).not.toHaveProperty('x-own')
  expect(answer.headers).not.toHaveProperty('x-frame-options')
  expect(JSON.parse(await text(answer))).toEqual({
    host: `127.0.0.1:${port}`,
    connection: 'keep-alive',
    authorization: 'Bearer of-the-app',
    'content-length': '0',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': `127.0.0.1:${port}`,
  })
})

describe('directly', () => {
  describeAppConnections()
})
