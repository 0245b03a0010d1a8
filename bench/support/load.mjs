// @ts-check
// Requests one path repeatedly over a few connections and prints the number of responses: node load.mjs <port> <path>
// <seconds> [token] [headers as JSON]. It uses plain sockets, because on two cores a heavier client would affect the
// measurement.
import { connect } from 'node:net'

const [port = '', path = '', seconds = '', token = '', more = '{}'] = process.argv.slice(2)
/** @type {Record<string, string>} */
const headers = { Host: '127.0.0.1', ...JSON.parse(more) }
const CONNECTIONS = 16
const request = Buffer.from(
  [
    `GET ${path} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    '',
    '',
  ].join('\r\n'),
)
let answers = 0
let refusals = 0
let counting = false

function requestRepeatedly() {
  const socket = connect(Number(port), '127.0.0.1').setNoDelay()
  /** @type {Buffer} */
  let held = Buffer.alloc(0)
  socket.on('connect', () => socket.write(request))
  socket.on('data', (piece) => {
    held = held.length > 0 ? Buffer.concat([held, piece]) : piece
    const end = held.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = held.toString('latin1', 0, end)
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Number.NaN)
    if (Number.isNaN(length)) throw new Error(`A response without a content length:\n${head}`)
    if (held.length < end + 4 + length) return
    if (head.startsWith('HTTP/1.1 200')) answers += counting ? 1 : 0
    else refusals++
    held = Buffer.alloc(0)
    socket.write(request)
  })
}

for (let index = 0; index < CONNECTIONS; index++) requestRepeatedly()
// The first second is a warm-up.
setTimeout(() => {
  counting = true
  const begun = performance.now()
  setTimeout(
    () => {
      const perSecond = answers / ((performance.now() - begun) / 1000)
      process.stdout.write(JSON.stringify({ perSecond, refusals }) + '\n')
      process.exit(0)
    },
    Number(seconds) * 1000,
  )
}, 1000)
