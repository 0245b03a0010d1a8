import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server } from 'node:http'
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net'
import type { Duplex } from 'node:stream'
import { onTestFinished } from 'vitest'
import { AppAgent } from '../../../src/modules/apps/gateway/app-agent'
import { passRequest, passUpgrade } from '../../../src/modules/apps/gateway/proxy'

const portOf = (server: TcpServer | Server) => (server.address() as AddressInfo).port

export async function listening<S extends TcpServer | Server>(server: S): Promise<S> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return server
}

/** An app that answers with raw bytes. */
export const rawApp = (answer: (socket: Socket) => void) =>
  listening(createTcpServer((socket) => answer(socket.on('error', () => {}))))

/** Connects the proxy to a port of the app: directly, unless a test passes its own function. */
export type ConnectTo = (port: number) => Promise<Duplex>
const directly: ConnectTo = async (port) => connect(port, '127.0.0.1')

/** Starts a proxy in front of the app and returns its port. */
export async function proxyTo(app: TcpServer | Server, connectTo = directly): Promise<number> {
  const agent = new AppAgent({ connect: () => connectTo(portOf(app)) })
  onTestFinished(() => agent.destroy())
  const passing = { upstream: { agent, token: 'of-the-app' }, cookies: '', frameAncestor: 'http://console' }
  const proxy = createServer((incoming, response) =>
    passRequest(incoming, response, {
      ...passing,
      onError: (error) => response.writeHead(502).end(error.message),
    }),
  )
  proxy.on('upgrade', (incoming, socket, head) =>
    passUpgrade(incoming, socket, head, { ...passing, onError: () => socket.destroy() }),
  )
  return portOf(await listening(proxy))
}

export async function send(port: number, options: object, ...body: string[]): Promise<IncomingMessage> {
  const sent = request({ host: '127.0.0.1', port, agent: false, ...options })
  for (const piece of body) sent.write(piece)
  const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
  return answer
}
