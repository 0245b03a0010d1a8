import { connect, type Socket } from 'node:net'
import { until } from '../until'

/** A request of which the server has the headers and half the body; `finish` sends the rest and returns the reply. */
export type SlowRequest = { finish(): Promise<{ status: number; json: unknown }> }

/**
 * Uses a plain socket, because no client pauses in a request. The server's 100 Continue shows that it has processed the
 * headers.
 */
export async function slowRequest(
  port: number,
  method: string,
  url: string,
  { as, body, headers = {} }: { as: string; body: unknown; headers?: Record<string, string> },
): Promise<SlowRequest> {
  const bytes = Buffer.from(JSON.stringify(body))
  const half = Math.floor(bytes.length / 2)
  const socket = connect({ host: '127.0.0.1', port })
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => (received += text))
  const lines = {
    host: '127.0.0.1',
    authorization: `Bearer ${as}`,
    'content-type': 'application/json',
    'content-length': bytes.length,
    expect: '100-continue',
    connection: 'close',
    ...headers,
  }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${url} HTTP/1.1\r\n${head.join('')}\r\n`)
  await until(() => received.startsWith('HTTP/1.1 100'))
  socket.write(bytes.subarray(0, half))
  return {
    async finish() {
      const over = closed(socket)
      socket.write(bytes.subarray(half))
      await over
      const [, answer = ''] = received.split('HTTP/1.1 100 Continue\r\n\r\n')
      const [top = '', json = ''] = answer.split('\r\n\r\n')
      return { status: Number(top.split(' ')[1]), json: json === '' ? null : (JSON.parse(json) as unknown) }
    },
  }
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('close', () => resolve())
    socket.once('error', reject)
  })
