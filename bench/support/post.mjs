// @ts-check
// Sends POST requests over one persistent connection. It uses a plain socket, because on two cores a heavier client
// would affect the measurement.
import { connect } from 'node:net'

/**
 * @param {number} port
 * @param {string} path
 * @param {string} token
 */
export function openPost(port, path, token) {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  /** @type {Buffer} */
  let held = Buffer.alloc(0)
  /** @type {{ resolve: (body: string) => void, reject: (error: Error) => void } | undefined} */
  let waiting
  socket.on('data', (piece) => {
    held = held.length > 0 ? Buffer.concat([held, piece]) : piece
    const end = held.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = held.toString('latin1', 0, end)
    const whole = end + 4 + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    if (held.length < whole) return
    const body = held.toString('utf8', end + 4, whole)
    held = Buffer.alloc(0)
    if (head.startsWith('HTTP/1.1 2')) waiting?.resolve(body)
    else waiting?.reject(new Error(`POST ${path}: ${head.split('\r\n', 1)[0]} ${body}`))
  })
  socket.on('error', (error) => waiting?.reject(error))
  return {
    /** @param {object} body @returns {Promise<string>} */
    post: (body) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        const text = JSON.stringify(body)
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
        )
      }),
    close: () => void socket.destroy(),
  }
}
