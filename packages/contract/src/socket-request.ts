import type * as z from 'zod/mini'
import type { Access } from './access'

type Spec = {
  summary: string
  access: Access
  input: z.ZodMiniObject
  reply: z.ZodMiniObject
}

/**
 * A request of a browser over its socket. It is acknowledged with `{ ok: true, ...reply }` or rejected with a message.
 */
export type SocketRequest<S extends Spec = Spec> = S & { name: string }

/** What the server's handler receives, after parsing. */
export type SocketInput<R extends SocketRequest> = z.output<R['input']>
/** What a caller sends. */
export type SocketSent<R extends SocketRequest> = z.input<R['input']>
export type SocketReply<R extends SocketRequest> = z.output<R['reply']>
export type SocketRefusal = { ok: false; message: string }
export type SocketAnswer<R extends SocketRequest> = ({ ok: true } & SocketReply<R>) | SocketRefusal

export const socketRequest = <S extends Spec>(name: string, spec: S): SocketRequest<S> => ({ name, ...spec })
