import { mayAccess } from '@flotilla/contract/access'
import type { SocketStreams } from '@flotilla/contract/events'
import type {
  SocketInput,
  SocketRefusal,
  SocketReply,
  SocketRequest,
} from '@flotilla/contract/socket-request'
import { Failure } from '../fail'
import type { SessionCaller } from './caller'

/** A browser's connection, as the handlers of socket requests see it. */
export type SocketConnection = {
  /** The user, with their current roles. */
  me(): SessionCaller
  emit<E extends keyof SocketStreams>(event: E, data: SocketStreams[E]): void
  /** A promise while the browser reads more slowly than it is sent data; it resolves when the browser has caught up. */
  backlog(): Promise<void> | undefined
  /** `sessionOver` distinguishes the end of the session from that of the connection alone. */
  onClose(act: (sessionOver: boolean) => void): void
}

type Handler<R extends SocketRequest> = (
  input: SocketInput<R>,
  connection: SocketConnection,
) => Promise<SocketReply<R>> | SocketReply<R>
export type BindSocket = <R extends SocketRequest>(request: R, handler: Handler<R>) => void
export type SocketRequests = ReturnType<typeof makeSocketRequests>

/** Binds socket requests of the contract to handlers: access, input and reply are checked here. */
export function makeSocketRequests({ validateReplies }: { validateReplies: boolean }) {
  type Answer = { ok: true; [part: string]: unknown } | SocketRefusal
  const answers = new Map<string, (input: unknown, connection: SocketConnection) => Promise<Answer>>()
  const bindSocket: BindSocket = (request, handler) => {
    answers.set(request.name, async (input, connection) => {
      const parsed = request.input.safeParse(input)
      if (!parsed.success) return { ok: false, message: 'The request is invalid' }
      if (!mayAccess(request.access, connection.me().role))
        return { ok: false, message: 'Your role does not allow this' }
      try {
        // The type of the input follows from the request, which the compiler cannot see through the generic.
        const reply = await handler(parsed.data as SocketInput<typeof request>, connection)
        return { ok: true, ...(validateReplies ? request.reply.parse(reply) : reply) }
      } catch (error) {
        return { ok: false, message: refusalText(error) }
      }
    })
  }
  return { bindSocket, answers }
}

/** The text of a failure for users; any other error has none. */
export const refusalText = (error: unknown): string =>
  error instanceof Failure ? error.message : 'Something went wrong. Try again.'

/** The state that a module keeps per connection, created on first use. */
export function perConnection<State>(
  open: (connection: SocketConnection) => State,
): (connection: SocketConnection) => State {
  const states = new WeakMap<SocketConnection, State>()
  return (connection) => {
    const state = states.get(connection) ?? open(connection)
    states.set(connection, state)
    return state
  }
}
