import { terminals as requests } from '@flotilla/contract/clusters/terminal'
import type { SocketInput } from '@flotilla/contract/socket-request'
import { perConnection, type BindSocket, type SocketConnection } from '../../http/socket-bind'
import type { Listener, Terminals } from './terminals'

export function bindTerminals(bindSocket: BindSocket, terminals: Terminals): void {
  const attached = perConnection((connection) => openAttached(connection, terminals))
  bindSocket(requests.open, (input, connection) => attached(connection).open(input))
  bindSocket(requests.input, ({ terminal, data }, { me }) => {
    terminals.write(me(), terminal, data)
    return {}
  })
  bindSocket(requests.resize, ({ terminal, cols, rows }, { me }) => {
    terminals.resize(me(), terminal, { cols, rows })
    return {}
  })
  bindSocket(requests.close, ({ terminal }, { me }) => {
    terminals.close(me(), terminal)
    return {}
  })
}

/** Manages the terminals that one connection shows. */
function openAttached({ me, emit, backlog, onClose }: SocketConnection, terminals: Terminals) {
  const listeners = new Map<string, Listener>()
  let closed: { sessionOver: boolean } | undefined
  onClose((sessionOver) => {
    closed = { sessionOver }
    for (const [terminal, listener] of listeners) terminals.leave(terminal, listener, sessionOver)
  })

  /** Output is held back until `name` is called, because the browser does not know the terminal's id yet. */
  const makeListener = (known?: string) => {
    let terminal = known
    let early = ''
    let over: string | undefined
    const own: Listener & { name(id: string): void } = {
      data(data) {
        if (terminal === undefined) {
          early += data
          return undefined
        }
        emit('terminalOutput', { terminal, data })
        return backlog()
      },
      screen(data) {
        // A screen is only sent for a terminal whose id the browser already has.
        if (terminal !== undefined) emit('terminalOutput', { terminal, data, isScreen: true })
      },
      end(reason) {
        over = reason
        if (terminal === undefined) return
        listeners.delete(terminal)
        emit('terminalEnd', { terminal, reason })
      },
      name(made) {
        terminal = made
        if (early) emit('terminalOutput', { terminal, data: early })
        if (over !== undefined) own.end(over)
      },
    }
    return own
  }

  return {
    async open({ cluster, cols, rows, terminal }: SocketInput<typeof requests.open>) {
      if (terminal !== undefined) {
        const listener = listeners.get(terminal) ?? makeListener(terminal)
        const shown = terminals.resume(me(), terminal, { cols, rows }, listener)
        listeners.set(terminal, listener)
        await shown
        return { terminal }
      }
      const listener = makeListener()
      const made = await terminals.start(me(), cluster, { cols, rows }, listener)
      listeners.set(made, listener)
      // Runs after the reply, which has the terminal's id.
      setImmediate(() => listener.name(made))
      // The browser may have disconnected while the shell was starting.
      if (closed) terminals.leave(made, listener, closed.sessionOver)
      return { terminal: made }
    },
  }
}
