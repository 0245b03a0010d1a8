// @ts-check
// Sends many wrong logins at once and reports when all are sent: node wrong-logins.mjs <port> <path> <count> <address
// or 'each'> <seed>. It is a separate process, so that it does not delay the measured login on the client's side.
import { Agent, request } from 'node:http'

const [port = '', path = '', count = '', from = '', seed = ''] = process.argv.slice(2)
const agent = new Agent({ maxSockets: Number(count) })

/** @param {number} index */
const addressOf = (index) => (from === 'each' ? `10.${seed}.${index >> 8}.${index & 255}` : from)

const sent = Array.from({ length: Number(count) }, (_, index) => {
  const body = JSON.stringify({ username: `guess${seed}x${index}`, password: 'wrong' })
  const call = request({
    agent,
    port: Number(port),
    host: '127.0.0.1',
    method: 'POST',
    path,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-forwarded-for': addressOf(index),
    },
  })
  call.on('response', (reply) => reply.resume())
  return new Promise((resolve) => call.end(body, () => resolve(undefined)))
})
await Promise.all(sent)
process.stdout.write('sent\n')
