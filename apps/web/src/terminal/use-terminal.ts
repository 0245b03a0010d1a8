import { terminals } from '@flotilla/contract/clusters/terminal'
import type { SocketStreams } from '@flotilla/contract/events'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLive } from '../api/live'
import { callSocket, onStream } from '../api/socket'
import { keptTerminal } from './kept-terminal'

type State =
  | { at: 'opening' }
  | { at: 'open'; terminal: string }
  /** The connection is lost; the shell waits on the server. */
  | { at: 'waiting'; terminal: string }
  | { at: 'ended'; reason: string }

/** The terminal library's screen. */
export type Screen = {
  cols: number
  rows: number
  write: (data: string, drawn?: () => void) => void
  reset: () => void
  options: { disableStdin?: boolean }
}

/** Redraws the whole screen. Until that is done, input is disabled and programs get no responses. */
function redraw(screen: Screen, data: string): void {
  screen.options.disableStdin = true
  screen.reset()
  screen.write(data, () => {
    screen.options.disableStdin = false
  })
}

/** The lifecycle of one shell: opened, found again after a lost connection or a reload, ended. */
export function useTerminal(cluster: string, screen: Screen | null) {
  const { connected } = useLive()
  const [state, setState] = useState<State>({ at: 'opening' })
  const [attempt, setAttempt] = useState(0)
  const kept = keptTerminal(cluster)
  const early = useRef<SocketStreams['terminalOutput'][]>([])
  const terminal = state.at === 'open' || state.at === 'waiting' ? state.terminal : null

  const end = (reason: string) => {
    kept.forget()
    setState({ at: 'ended', reason })
  }

  const attach = useEffectEvent(async (isCurrent: () => boolean) => {
    if (!screen) return
    const before = kept.load()
    const size = { cols: screen.cols, rows: screen.rows }
    const found = before ? await callSocket(terminals.open, { cluster, ...size, terminal: before }) : null
    // The terminal of an earlier visit may no longer exist; a new one is opened then.
    const reply =
      found?.ok || (found && terminal) ? found : await callSocket(terminals.open, { cluster, ...size })
    if (!isCurrent()) {
      // No longer needed: a shell that cannot be found again must not stay open.
      if (reply.ok && reply.terminal !== kept.load())
        void callSocket(terminals.close, { terminal: reply.terminal })
      return
    }
    if (!reply.ok) return end(reply.message)
    kept.save(reply.terminal)
    for (const piece of early.current) if (piece.terminal === reply.terminal) screen.write(piece.data)
    early.current = []
    setState({ at: 'open', terminal: reply.terminal })
  })

  useEffect(() => {
    if (!screen) return
    const stop = onStream('terminalOutput', (piece) => {
      const mine = kept.load()
      if (mine === piece.terminal && piece.isScreen) redraw(screen, piece.data)
      else if (mine === piece.terminal) screen.write(piece.data)
      // The first output may arrive before the response that names the terminal.
      else if (mine === null) early.current.push(piece)
    })
    const stopEnd = onStream('terminalEnd', ({ terminal: ended, reason }) => {
      if (ended === kept.load()) end(reason)
    })
    return () => {
      stop()
      stopEnd()
    }
    // oxlint-disable-next-line react/exhaustive-deps -- `kept` and `end` mean the same for the same cluster
  }, [screen, cluster])

  useEffect(() => {
    if (!screen || !connected) return
    let current = true
    void attach(() => current)
    return () => {
      current = false
      setState((now) => (now.at === 'open' ? { at: 'waiting', terminal: now.terminal } : now))
    }
  }, [screen, connected, attempt, cluster])

  return {
    state,
    connected,
    // Uses the stored ID, not the state: the first output may contain a query that is answered before the state is
    // rendered.
    send: (data: string) => {
      const mine = kept.load()
      if (mine) void callSocket(terminals.input, { terminal: mine, data })
    },
    resize: (cols: number, rows: number) => {
      const mine = kept.load()
      if (mine) void callSocket(terminals.resize, { terminal: mine, cols, rows })
    },
    close: () => {
      if (terminal) void callSocket(terminals.close, { terminal })
      end('Closed')
    },
    openAgain: () => {
      screen?.reset()
      setState({ at: 'opening' })
      setAttempt(attempt + 1)
    },
  }
}
