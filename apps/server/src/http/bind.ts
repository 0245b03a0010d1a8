import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import { isAdmin, mayAccess, scopeAllows, type TokenRule } from '@flotilla/contract/access'
import { UPLOAD_PIECE_BYTES } from '@flotilla/contract/jobs/files'
import { isFileReply, tokenRule, type Endpoint, type Input, type Reply } from '@flotilla/contract/endpoint'
import { BODY_MAX_BYTES, NEXT_CURSOR, STACK_UPLOAD_MAX_BYTES } from '@flotilla/contract/limits'
import { wireBody } from '@flotilla/contract/wire-body'
import { fail, Failure } from '../fail'
import type { AuthorityOf } from './authority'
import type { Authenticate, AuditSource, Caller, RequestContext, SessionCaller, TokenCaller } from './caller'
import { POWERLESS } from './guards'

type CallerOf<E extends Endpoint> = E['access'] extends 'everyone'
  ? Caller | null
  : E['tokens'] extends 'never'
    ? SessionCaller
    : Caller
type Handler<E extends Endpoint> = (
  input: Input<E>,
  me: CallerOf<E>,
  context: RequestContext,
) => Promise<Reply<E>> | Reply<E>
export type Bind = <E extends Endpoint>(endpoint: E, handler: Handler<E>) => void

/** Called for every logged-in user who called an admin-only endpoint. */
type NoteRefused = (
  caller: SessionCaller | TokenCaller,
  request: { id: string; ip: string },
  endpoint: Endpoint,
) => void

declare module 'fastify' {
  interface FastifyRequest {
    caller: SessionCaller | TokenCaller | null
  }
}

type Options = {
  authenticate: Authenticate
  authorityOf: AuthorityOf
  /** Fails unless the password was entered in this session recently. */
  requireConfirmed: (sessionId: string) => Promise<void>
  validateReplies: boolean
  noteRefused: NoteRefused
  sign: AuditSource['sign']
}

/** Binds endpoints of the contract to handlers: access, input and reply are checked here and nowhere else. */
export function makeBind(app: FastifyInstance, options: Options): Bind {
  const { authenticate, authorityOf, requireConfirmed, validateReplies, noteRefused, sign } = options
  app.decorateRequest('caller', null)
  return (endpoint, handler) => {
    const bodySchema = wireBody(endpoint)
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      ...(endpoint.raw && { bodyLimit: UPLOAD_PIECE_BYTES }),
      ...(endpoint.files && {
        bodyLimit: STACK_UPLOAD_MAX_BYTES + BODY_MAX_BYTES,
        config: { files: true },
      }),
      // This runs before the body is read, so that a visitor learns nothing about what a call accepts.
      onRequest: async (request) => {
        request.caller = await callerOf(request, endpoint, authenticate, noteRefused)
      },
      // Access is checked again when the body is complete: a slow body must not extend a right. A GET's is never read.
      ...(endpoint.method !== 'GET' && {
        preHandler: async (request: FastifyRequest) => {
          request.caller = await callerOf(request, endpoint, authenticate, noteRefused)
        },
      }),
      handler: async (request, reply) => {
        const { caller } = request
        const input = parseInput(endpoint, bodySchema, request)
        const refuse = async (): Promise<never> => {
          await callerOf(request, endpoint, authenticate, noteRefused, true)
          return fail('forbidden', { message: 'Your roles have just changed. Try again.' })
        }
        // These are listed one by one: after a spread, the engine adds every other property slowly, on each request.
        const { transaction, recheck, claim } = authorityOf(caller, refuse)
        const context: RequestContext = {
          transaction,
          recheck,
          claim,
          requestId: request.id,
          address: request.ip,
          sessionId: caller && 'sessionId' in caller ? caller.sessionId : null,
          tokenId: caller && 'tokenId' in caller ? caller.tokenId : null,
          sign,
          browser: request.headers['user-agent'] ?? '',
          origin: request.headers.origin ?? null,
          adminScope: request.headers.admin === 'true' && caller !== null && isAdmin(caller),
          requireConfirmation: () =>
            caller && 'sessionId' in caller ? requireConfirmed(caller.sessionId) : refuseToken('never'),
          nextCursor: (cursor) => void (cursor !== null && reply.header(NEXT_CURSOR, cursor)),
        }
        if (endpoint.confirm === true) await context.requireConfirmation()
        // The types of input and caller follow from the endpoint, which the compiler cannot see through the generic.
        const answer = await handler(
          input as Input<typeof endpoint>,
          caller as CallerOf<typeof endpoint>,
          context,
        )
        reply.status(endpoint.status ?? 200)
        if (isFileReply(endpoint.reply)) {
          const { name, content } = answer as {
            name: string
            content: string | Uint8Array | AsyncIterable<Uint8Array>
          }
          return reply
            .header('content-type', endpoint.reply.file)
            .header('content-disposition', attachment(name))
            .header('content-security-policy', POWERLESS)
            .send(
              typeof content === 'string' || content instanceof Uint8Array ? content : Readable.from(content),
            )
        }
        return reply.send(validateReplies ? endpoint.reply.parse(answer) : answer)
      },
    })
  }
}

/** The header names the file in ASCII for old clients and percent-encoded for all others. */
function attachment(name: string): string {
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encoded}`
}

async function callerOf(
  request: FastifyRequest,
  endpoint: Endpoint,
  authenticate: Authenticate,
  noteRefused: NoteRefused,
  fresh = false,
): Promise<SessionCaller | TokenCaller | null> {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (endpoint.access === 'everyone') return null
  if (!token) return fail('no_session')
  const caller = await authenticate(token, {
    repeat: request.headers.repeatcall === 'true',
    address: request.ip,
    fresh,
  })
  try {
    if (!mayAccess(endpoint.access, caller.role)) fail('forbidden')
    if ('scope' in caller) requireScope(caller, endpoint)
  } catch (error) {
    if (endpoint.access === 'admin') noteRefused(caller, request, endpoint)
    throw error
  }
  return caller
}

function requireScope({ scope }: TokenCaller, endpoint: Endpoint): void {
  const rule = tokenRule(endpoint)
  if (!scopeAllows(scope, rule)) refuseToken(rule, scope)
}

const refuseToken = (rule: TokenRule, scope = 'none'): never =>
  fail('token_scope', {
    message:
      rule === 'never'
        ? 'Access tokens cannot do this. Log in instead.'
        : `This needs an access token with the scope “${rule}”; this one has “${scope}”`,
  })

/** Validates the query and the body against their schemas and reports everything that is invalid at once. */
function parseInput(
  endpoint: Endpoint,
  bodySchema: z.ZodMiniType | undefined,
  request: FastifyRequest,
): Record<string, unknown> {
  const fields: Record<string, string> = {}
  const parse = (schema: z.ZodMiniType | undefined, value: unknown): unknown => {
    if (!schema) return undefined
    const parsed = schema.safeParse(value)
    if (!parsed.success) {
      for (const issue of parsed.error.issues) {
        const name = issue.path.join('.') || 'body'
        fields[name] ??= issue.message
      }
    }
    return parsed.data
  }
  const input = {
    ...(request.params as Record<string, string>),
    query: parse(endpoint.query, request.query),
    body: parse(bodySchema, request.body ?? {}),
    ...(endpoint.raw && { bytes: bytesOf(request.body) }),
  }
  reportUnstorable(input, [], fields)
  if (Object.keys(fields).length > 0) throw new Failure('bad_input', { fields })
  return endpoint.wrapper ? unwrapped(input, endpoint.wrapper) : input
}

function unwrapped(input: { body: unknown }, wrapper: string) {
  // The schema of a wrapped body is an object.
  const { [wrapper]: body, ...beside } = input.body as Record<string, unknown>
  return { ...input, body, beside }
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  return body === undefined
    ? new Uint8Array()
    : fail('unsupported_media_type', { message: 'Send bytes (content-type: application/octet-stream)' })
}

/** PostgreSQL text cannot hold U+0000 or half of a surrogate pair, so no field may. */
const isUnstorable = (text: string) => text.includes('\u0000') || !text.isWellFormed()
function reportUnstorable(value: unknown, at: string[], fields: Record<string, string>): void {
  if (typeof value === 'string') {
    if (isUnstorable(value)) fields[at.join('.')] ??= 'contains a character that cannot be stored'
  } else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    for (const [key, part] of Object.entries(value)) {
      if (isUnstorable(key)) fields[at.join('.')] ??= 'contains a character that cannot be stored'
      reportUnstorable(part, key === 'body' || key === 'query' ? at : [...at, key], fields)
    }
  }
}
