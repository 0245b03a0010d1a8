import type * as z from 'zod/mini'
import type { Access, TokenRule } from './access'

type Schema = z.ZodMiniType

/** A reply that is a file and not JSON. */
export type FileReply = { file: string }

/** Where the web shows a failure of the call: on the form's fields, in the ERROR dialog, or nowhere (the caller decides). */
type FailureShownIn = 'form' | 'dialog' | 'caller'

type Spec = {
  summary: string
  access: Access
  query?: Schema
  body?: Schema
  /** The body is sent under this key (`{ cluster: {...} }`). Callers and handlers only see its value. */
  wrapper?: string
  /** What is sent next to the wrapper key. */
  beside?: z.ZodMiniObject
  reply: Schema | FileReply
  /** The body is bytes and not JSON; the handler gets them as `bytes`. */
  raw?: true
  /** Whether a form may include files, which keep their names and bytes. */
  files?: true
  /** 201 for calls that create something. */
  status?: 200 | 201
  failure?: FailureShownIn
  /**
   * What an access token needs besides its owner's permission. Default: `read` for GET requests and `all` for changes.
   * `never` is for calls that could let a token outlive itself or take over the account: tokens, sessions, passwords,
   * the address used for password recovery, private keys, and the accounts of others.
   */
  tokens?: TokenRule
  /**
   * Requires that the password was entered within the last 15 minutes of this session: at login or with `auth.confirm`.
   * Otherwise the reply is 403 with the code `confirm_needed`. `true` means always; a text describes when, and the
   * module decides. Access tokens never confirm.
   */
  confirm?: true | string
  /** Changing another user's resource, or reading its secrets, requires an admin who sends the header `admin: true`. */
  adminScope?: true
}

export type Endpoint<P extends string = string, S extends Spec = Spec> = S & {
  method: Method
  path: P
}
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type PathParams<P extends string> = P extends `${string}:${infer K}/${infer Rest}`
  ? { [k in K]: string } & PathParams<`/${Rest}`>
  : P extends `${string}:${infer K}`
    ? { [k in K]: string }
    : unknown

/** What the server's handler receives, after parsing. */
export type Input<E> =
  E extends Endpoint<infer P, infer S>
    ? PathParams<P> &
        (S['query'] extends Schema ? { query: z.output<S['query']> } : unknown) &
        (S['body'] extends Schema ? { body: z.output<S['body']> } : unknown) &
        (S['beside'] extends Schema ? { beside: z.output<S['beside']> } : unknown) &
        (S['raw'] extends true ? { bytes: Uint8Array } : unknown)
    : never

/** An optional part if nothing in it is required. */
type Part<Name extends string, P> =
  Partial<P> extends P
    ? { [name in Name]?: P }
    : undefined extends P
      ? { [name in Name]?: P }
      : { [name in Name]: P }

/** What a caller sends: before defaults and transforms. */
export type Sent<E> =
  E extends Endpoint<infer P, infer S>
    ? PathParams<P> &
        (S['query'] extends Schema ? { query?: z.input<S['query']> } : unknown) &
        (S['body'] extends Schema ? Part<'body', z.input<S['body']>> : unknown) &
        (S['beside'] extends Schema ? Part<'beside', z.input<S['beside']>> : unknown) &
        (S['raw'] extends true ? { bytes: Uint8Array } : unknown)
    : never

export const tokenRule = ({ method, tokens }: Pick<Endpoint, 'method' | 'tokens'>): TokenRule =>
  tokens ?? (method === 'GET' ? 'read' : 'all')

/** What a handler returns: a file for file endpoints, otherwise what the reply schema describes. */
export type Reply<E extends Endpoint> = E['reply'] extends Schema
  ? z.output<E['reply']>
  : { name: string; content: string | Uint8Array | AsyncIterable<Uint8Array> }

export const isFileReply = (reply: Schema | FileReply): reply is FileReply => 'file' in reply

const verb =
  (method: Method) =>
  <P extends string, S extends Spec>(path: P, spec: S): Endpoint<P, S> => ({
    method,
    path,
    ...spec,
  })
export const get = verb('GET')
export const post = verb('POST')
export const put = verb('PUT')
export const patch = verb('PATCH')
export const del = verb('DELETE')
