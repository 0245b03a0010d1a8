import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { testFolder } from '../../../test/support/folder'
import { testLocal } from '../../../test/support/machines/local'
import { until } from '../../../test/support/until'
import { schedulers } from '../../schedulers/registry'
import { bridge } from './bridge'
import { makeDesktopHost } from './host'
import { FOLDER, SOCKET } from './scripts'

const ID = 'd1'
const TOTAL = 24 * 1024 * 1024
/** Its period is a prime, so no two pieces of a round length are equal. */
const PATTERN = Buffer.from(Array.from({ length: 65_521 }, (_, at) => (at * 31 + (at >> 8)) & 255))
const patternFrom = (start: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length;) {
    const from = (start + at) % PATTERN.length
    at += PATTERN.copy(bytes, at, from, Math.min(PATTERN.length, from + length - at))
  }
  return bytes
}

const read = async (socket: Socket, length: number): Promise<Buffer> => {
  for (;;) {
    const bytes = socket.read(length) as Buffer | null
    if (bytes) return bytes
    await once(socket, 'readable')
  }
}

/** Sends the pattern in pieces of all sizes. */
async function pour(socket: Socket): Promise<void> {
  for (let sent = 0, size = 1; sent < TOTAL; size = (size * 7 + 3) % 200_003) {
    const piece = patternFrom(sent, Math.min(size, TOTAL - sent))
    sent += piece.length
    if (!socket.write(piece)) await once(socket, 'drain')
  }
  socket.end()
}

/** A VNC server without authentication checks. */
async function startServer(home: string, inside: (socket: Socket) => Promise<void> | void): Promise<void> {
  const folder = path.join(home, FOLDER, ID)
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'run'), '')
  const serve = async (socket: Socket) => {
    socket.write('RFB 003.008\n')
    await read(socket, 12)
    socket.write(Buffer.from([1, 2]))
    await read(socket, 1)
    socket.write(Buffer.alloc(16, 3))
    await read(socket, 16)
    socket.write(Buffer.alloc(4))
    await read(socket, 1)
    await inside(socket)
  }
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    // The client may disconnect at any moment.
    serve(socket).catch(() => undefined)
  })
  await new Promise<void>((resolve) => server.listen(path.join(folder, SOCKET), resolve))
  onTestFinished(() => void server.close())
}

/** A browser connected through the bridge after the handshake, and the reason why the bridge ended. */
async function view(
  direct: boolean,
  inside: (socket: Socket) => Promise<void> | void = pour,
): Promise<{ browser: WebSocket; reason: Promise<string> }> {
  const home = await testFolder()
  await startServer(home, inside)
  const local = testLocal({ as: { uid: process.getuid?.() ?? 0, gid: 0, username: 'me', home } })
  const transport = direct ? local : { ...local, connectToUnixSocket: undefined }
  const host = makeDesktopHost({
    query: () => Promise.reject(new Error('it is no job')),
    withUserFacingErrors: (work) => work,
  })
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  onTestFinished(() => sockets.close())
  await once(sockets, 'listening')
  const reason = new Promise<string>((resolve, reject) => {
    sockets.once('connection', (socket) => {
      const connection = { transport, scheduler: schedulers.slurm, account: 'me', home }
      const serve = async () => {
        const link = await host.connect(connection, ID, 'pass4321')
        const why = await bridge(socket, link, { mode: 'control', password: null, onActivity: () => {} })
        link.close()
        socket.close()
        return why
      }
      serve().then(resolve, reject)
    })
  })
  const browser = new WebSocket(`ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`)
  onTestFinished(() => browser.terminate())
  for (const answer of [Buffer.from('RFB 003.008\n'), Buffer.from([1])]) {
    await once(browser, 'message')
    browser.send(answer)
  }
  await once(browser, 'message')
  return { browser, reason }
}

it.each([
  ['directly from its socket', true],
  ['through a relay', false],
])('delivers all bytes in order to a browser that pauses repeatedly, %s', async (_name, direct) => {
  const { browser, reason } = await view(direct)
  let seen = 0
  let wrong = -1
  browser.on('message', (data: Buffer) => {
    if (wrong < 0 && !data.equals(patternFrom(seen, data.length))) wrong = seen
    const before = seen
    seen += data.length
    // Pauses long enough for all buffers to fill up.
    if (seen >> 22 === before >> 22) return
    browser.pause()
    setTimeout(() => browser.resume(), 100)
  })
  browser.send(Buffer.from([1]))
  await until(() => seen === TOTAL || wrong >= 0)
  expect({ seen, wrong }).toEqual({ seen: TOTAL, wrong: -1 })
  expect(await reason).toBe('The connection to the desktop ended')
})

it('ends when the browser disconnects during a transfer', async () => {
  const { browser, reason } = await view(true)
  browser.once('message', () => browser.terminate())
  browser.send(Buffer.from([1]))
  expect(await reason).toBe('The browser disconnected')
})

it('ends when the desktop ends, even if it has not read all data', async () => {
  const { browser, reason } = await view(true, (socket) => {
    // From now on it reads nothing.
    socket.pause()
    setTimeout(() => socket.end(), 300)
  })
  browser.send(Buffer.from([1]))
  const movements = Buffer.alloc(6 * 100_000)
  for (let at = 0; at < movements.length; at += 6) movements[at] = 5
  browser.send(movements)
  expect(await reason).toBe('The connection to the desktop ended')
})
