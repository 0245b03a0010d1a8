import { StringDecoder } from 'node:string_decoder'
import * as z from 'zod/mini'
import { mayAccess } from '@flotilla/contract/access'
import type { SocketRequests, SocketStreams } from '@flotilla/contract/events'
import { TERMINAL_SIDE_MAX } from '@flotilla/contract/terminal'
import { Failure } from '../fail'
import type { SessionCaller } from './caller'

type Emit = <E extends keyof SocketStreams>(event: E, data: SocketStreams[E]) => void
/** A promise while the browser takes in less than it is sent; it resolves when it has caught up. */
type Backlog = () => Promise<void> | undefined

type Size = { cols: number; rows: number }
type TerminalListener = {
  data(text: string): Promise<void> | undefined
  screen(text: string): void
  end(reason: string): void
}

/** What a browser may ask for over its socket, besides being told of changes. */
export type StreamSources = {
  /** `me` is asked again: what a person may see can change while they look at it. */
  follow(
    me: () => SessionCaller,
    job: string,
    submission: string,
    file: string,
    from: number,
    signal: AbortSignal,
  ): AsyncIterable<{ from: number; next: number; data: Buffer }>
  terminals: {
    start(me: SessionCaller, cluster: string, size: Size, listener: TerminalListener): Promise<string>
    resume(me: SessionCaller, id: string, size: Size, listener: TerminalListener): Promise<void>
    write(me: SessionCaller, id: string, data: string): void
    resize(me: SessionCaller, id: string, size: Size): void
    close(me: SessionCaller, id: string): void
    leave(id: string, listener: TerminalListener, sessionOver: boolean): void
    recheck(userId?: string): void
  }
}

const id = z.string().check(z.minLength(1), z.maxLength(300))
const side = z.number().check(z.int(), z.minimum(1), z.maximum(TERMINAL_SIDE_MAX))
const schemas = {
  follow: z.object({ follow: id, job: id, submission: id, file: id, from: z.number().check(z.int()) }),
  unfollow: z.object({ follow: id }),
  openTerminal: z.object({ cluster: id, cols: side, rows: side, terminal: z.optional(id) }),
  terminalInput: z.object({ terminal: id, data: z.string().check(z.maxLength(100_000)) }),
  resizeTerminal: z.object({ terminal: id, cols: side, rows: side }),
  closeTerminal: z.object({ terminal: id }),
} satisfies Record<keyof SocketRequests, z.ZodMiniType>

const FOLLOWS_MAX = 16
/** With those that were stopped and have not noticed yet: each of them asks the database first. */
const PUMPS_MAX = 2 * FOLLOWS_MAX
const why = (error: unknown): string =>
  error instanceof Failure ? error.message : 'This did not work: try again'

const NOT_ANY_MORE = 'Your role does not allow this any more'
/** Nothing for who stopped it themselves. */
const whyStopped = ({ signal }: AbortController) => (signal.reason === NOT_ANY_MORE ? NOT_ANY_MORE : null)

/** The streams of one socket. `close` tells whether the session is over or only the connection. */
export function openStreams(me: () => SessionCaller, emit: Emit, backlog: Backlog, sources: StreamSources) {
  const follows = new Map<string, AbortController>()
  const terminals = new Map<string, TerminalListener>()
  let pumps = 0
  let closed: { sessionOver: boolean } | undefined

  const pump = async (ask: z.output<typeof schemas.follow>, stop: AbortController): Promise<void> => {
    // A character may lie across two pieces.
    const decoder = new StringDecoder('utf8')
    let reason: string | null = null
    try {
      const pieces = sources.follow(me, ask.job, ask.submission, ask.file, ask.from, stop.signal)
      for await (const { from, next, data } of pieces) {
        if (stop.signal.aborted) break
        emit('output', { follow: ask.follow, text: decoder.write(data), from, next, size: next })
        await backlog()
      }
    } catch (error) {
      reason = why(error)
    }
    // The same name may be in use for another one by now, which has not ended.
    if (follows.get(ask.follow) !== stop) return
    follows.delete(ask.follow)
    emit('outputEnd', { follow: ask.follow, reason: stop.signal.aborted ? whyStopped(stop) : reason })
  }

  /** Until `name` is told, what the shell writes waits: the browser does not know the terminal yet. */
  const listener = (known?: string) => {
    let terminal = known
    let early = ''
    let over: string | undefined
    const own: TerminalListener & { name(id: string): void } = {
      data(data) {
        if (terminal === undefined) {
          early += data
          return undefined
        }
        emit('terminalOutput', { terminal, data })
        return backlog()
      },
      screen(data) {
        // Only of a terminal that the browser named itself.
        if (terminal !== undefined) emit('terminalOutput', { terminal, data, isScreen: true })
      },
      end(reason) {
        over = reason
        if (terminal === undefined) return
        terminals.delete(terminal)
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

  type Handlers = {
    [R in keyof SocketRequests]: (
      ask: z.output<(typeof schemas)[R]>,
    ) => Promise<SocketRequests[R]['answer']> | SocketRequests[R]['answer']
  }
  const handlers: Handlers = {
    follow(ask) {
      const before = follows.get(ask.follow)
      if ((!before && follows.size >= FOLLOWS_MAX) || pumps >= PUMPS_MAX)
        return { ok: false, message: 'Too many outputs are open at once' }
      const stop = new AbortController()
      follows.set(ask.follow, stop)
      before?.abort()
      pumps++
      void pump(ask, stop).finally(() => pumps--)
      return { ok: true }
    },
    unfollow({ follow }) {
      follows.get(follow)?.abort()
      return { ok: true }
    },
    async openTerminal({ cluster, cols, rows, terminal }) {
      if (terminal !== undefined) {
        const heard = terminals.get(terminal) ?? listener(terminal)
        const shown = sources.terminals.resume(me(), terminal, { cols, rows }, heard)
        terminals.set(terminal, heard)
        await shown
        return { ok: true, terminal }
      }
      const heard = listener()
      const made = await sources.terminals.start(me(), cluster, { cols, rows }, heard)
      terminals.set(made, heard)
      // After the answer, which tells the browser its name.
      setImmediate(() => heard.name(made))
      // The browser may have gone while the shell was started.
      if (closed) sources.terminals.leave(made, heard, closed.sessionOver)
      return { ok: true, terminal: made }
    },
    terminalInput({ terminal, data }) {
      sources.terminals.write(me(), terminal, data)
      return { ok: true }
    },
    resizeTerminal({ terminal, cols, rows }) {
      sources.terminals.resize(me(), terminal, { cols, rows })
      return { ok: true }
    },
    closeTerminal({ terminal }) {
      sources.terminals.close(me(), terminal)
      return { ok: true }
    },
  }

  return {
    requests: Object.keys(schemas) as (keyof SocketRequests)[],
    async answer<R extends keyof SocketRequests>(
      request: R,
      ask: unknown,
    ): Promise<SocketRequests[R]['answer'] | { ok: false; message: string }> {
      const parsed = schemas[request].safeParse(ask)
      if (!parsed.success) return { ok: false, message: 'The request is not right' }
      // As with the calls of jobs, files and clusters.
      if (!mayAccess('user', me().role)) return { ok: false, message: 'Your role does not allow this' }
      try {
        // The handler of a request takes what its schema gives; the compiler cannot follow the lookup.
        return await handlers[request](parsed.data as never)
      } catch (error) {
        return { ok: false, message: why(error) }
      }
    },
    /** The person's roles changed. The output of others is looked at again by whoever reads it. */
    recheck(): void {
      if (mayAccess('user', me().role)) return
      for (const stop of follows.values()) stop.abort(NOT_ANY_MORE)
    },
    close(sessionOver: boolean): void {
      closed = { sessionOver }
      for (const stop of follows.values()) stop.abort()
      for (const [terminal, heard] of terminals) sources.terminals.leave(terminal, heard, sessionOver)
    },
  }
}
