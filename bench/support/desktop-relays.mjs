// @ts-check
// The three programs of bench/desktops.bench.mjs, each in its own process: `source` is a VNC server that sends as fast
// as it is read; `bridge` is the product's connection to it over a WebSocket, either directly to its socket or through
// the relay that is used for clusters behind SSH; `plain` is a minimal TCP relay.
import { createServer as createHttp } from 'node:http'
import { createRequire } from 'node:module'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { root } from '../../scripts/running/child.mjs'
import { loadDesktops } from './typescript.mjs'

// Resolved from the server's folder, where its packages are.
const { WebSocketServer } = createRequire(join(root, 'apps/server/package.json'))('ws')
const PASSWORD = 'measured'
const PIECE = Buffer.alloc(64 * 1024, 7)

/** @param {import('node:net').Socket} socket @param {number} bytes */
async function pour(socket, bytes) {
  for (let left = bytes; left > 0; left -= PIECE.length)
    if (!socket.write(PIECE)) await new Promise((resolve) => socket.once('drain', resolve))
}

/** @param {number} length @param {import('node:net').Socket} socket @returns {Promise<Buffer>} */
const take = async (socket, length) => {
  for (;;) {
    const bytes = socket.read(length)
    if (bytes) return bytes
    await new Promise((resolve) => socket.once('readable', resolve))
  }
}

/** @param {string} socketPath @param {number} port @param {number} bytes */
function source(socketPath, port, bytes) {
  // Like a VNC server: a handshake with a password, then all bytes at once.
  const serve = async (/** @type {import('node:net').Socket} */ socket) => {
    socket.on('error', () => {})
    socket.write('RFB 003.008\n')
    await take(socket, 12)
    socket.write(Buffer.from([1, 2]))
    await take(socket, 1)
    socket.write(Buffer.alloc(16, 3))
    await take(socket, 16)
    socket.write(Buffer.alloc(4))
    await take(socket, 1)
    socket.resume()
    await pour(socket, bytes)
  }
  createServer((socket) => void serve(socket)).listen(socketPath)
  createServer((socket) => {
    socket.on('error', () => {})
    socket.resume()
    void pour(socket, bytes)
  }).listen(port, '127.0.0.1')
}

/** @param {number} port @param {number} from */
function plain(port, from) {
  createServer((socket) => {
    const far = connect(from, '127.0.0.1')
    for (const one of [socket, far]) one.on('error', () => {})
    socket.pipe(far)
    far.pipe(socket)
  }).listen(port, '127.0.0.1')
}

/** @param {number} port @param {string} id @param {boolean} relayed */
async function bridging(port, id, relayed) {
  const { bridge, makeDesktopHost, localTransport } = await loadDesktops()
  const host = makeDesktopHost({ withUserFacingErrors: (/** @type {unknown} */ work) => work })
  const transport = localTransport()
  const connection = { transport: relayed ? { ...transport, connectToUnixSocket: undefined } : transport }
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const server = createHttp((request, response) => {
    if (request.url === '/collect') globalThis.gc?.()
    response.end(JSON.stringify({ rss: process.memoryUsage().rss }))
  })
  const serve = async (/** @type {any} */ opened) => {
    const link = await host.connect(connection, id, PASSWORD)
    await bridge(opened, link, { mode: 'control', password: null, onActivity: () => {} })
    link.close()
    opened.terminate()
  }
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (/** @type {any} */ opened) => void serve(opened)),
  )
  server.listen(port, '127.0.0.1')
}

const [role, ...args] = process.argv.slice(2)
if (role === 'source') source(args[0] ?? '', Number(args[1]), Number(args[2]))
if (role === 'plain') plain(Number(args[0]), Number(args[1]))
if (role === 'bridge') await bridging(Number(args[0]), args[1] ?? '', args[2] === 'relayed')
