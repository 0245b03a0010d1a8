import { terminals } from '@flotilla/contract/clusters/terminal'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import { jobOutput } from '@flotilla/contract/jobs/output'
import { io, type Socket } from 'socket.io-client'
import { callOver } from '@flotilla/client/socket'
import type { SocketStreams } from '@flotilla/contract/events'
import type { SocketAnswer, SocketSent, SocketRequest } from '@flotilla/contract/socket-request'
import { until } from '../until'

type ReceivedEvent = { [E in keyof SocketStreams]: { event: E; data: SocketStreams[E] } }[keyof SocketStreams]

/** A browser's socket for output and terminals. */
export class BrowserSocket {
  readonly received: ReceivedEvent[] = []
  private constructor(readonly socket: Socket) {
    // Border: the server sends nothing else under these names.
    socket.onAny((event: keyof SocketStreams, data: SocketStreams[typeof event]) =>
      this.received.push({ event, data } as ReceivedEvent),
    )
  }

  static async open(url: string, token: string): Promise<BrowserSocket> {
    const socket = io(url, {
      query: { token },
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
    })
    const opened = new BrowserSocket(socket)
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('connect_error', reject)
    })
    return opened
  }

  call<R extends SocketRequest>(request: R, input: SocketSent<R>): Promise<SocketAnswer<R>> {
    return callOver(this.socket, request, input)
  }

  of<E extends keyof SocketStreams>(event: E): SocketStreams[E][] {
    return this.received.flatMap((one) => (one.event === event ? [one.data as SocketStreams[E]] : []))
  }

  /** Opens a terminal, or reattaches to one. */
  async terminal(cluster: string, terminal?: string): Promise<string> {
    const answer = await this.call(terminals.open, {
      cluster,
      cols: 80,
      rows: 24,
      ...(terminal !== undefined && { terminal }),
    })
    if (!answer.ok) throw new Error(answer.message)
    return answer.terminal
  }

  written(terminal: string): string {
    return this.of('terminalOutput')
      .filter((one) => one.terminal === terminal)
      .map(({ data }) => data)
      .join('')
  }

  /** Types a line and waits for matching output. */
  async type(terminal: string, line: string, until_: RegExp): Promise<string> {
    await this.call(terminals.input, { terminal, data: `${line}\n` })
    return until(() => until_.exec(this.written(terminal))?.[0])
  }
}

/** Follows the output of a job, under a name that the browser chooses. */
export const follow = (
  browser: BrowserSocket,
  { id, jobId }: Submission,
  from = 0,
  name = 'f',
  file = 'output.txt',
) => browser.call(jobOutput.follow, { follow: name, job: jobId, submission: id, file, from })

export const followedText = (browser: BrowserSocket, name = 'f') =>
  browser
    .of('output')
    .filter((one) => one.follow === name)
    .map(({ text }) => text)
    .join('')
