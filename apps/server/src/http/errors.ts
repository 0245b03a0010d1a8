import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DATABASE_BUSY, OUTCOME_UNKNOWN, type ErrorReply } from '@flotilla/contract/errors'
import { isDatabaseBusy, isDatabaseDown, isOutcomeUnknown } from '../db/connection/down'
import { isDiskFull } from '../disk/disk-room'
import { Failure } from '../fail'
import { answerToSender } from './refusals'

const ofFastify: Record<string, () => Failure> = {
  FST_ERR_CTP_INVALID_JSON_BODY: () => new Failure('bad_json'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Failure('too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new Failure('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Failure('bad_json', { message: 'The content length does not match the body' }),
  FST_ERR_BAD_URL: () => new Failure('bad_input', { message: 'The URL is invalid' }),
  FST_ERR_MAX_PARAM_LENGTH: () => new Failure('not_found'),
}

/** A read can be repeated without harm; a write that may have been committed must not be repeated unchecked. */
function databaseFailure(error: Error, reads: boolean): Failure {
  const extras = { part: 'database' }
  if (isDatabaseBusy(error)) return new Failure('database_unavailable', { message: DATABASE_BUSY, extras })
  if (reads || !isOutcomeUnknown(error)) return new Failure('database_unavailable', { extras })
  return new Failure('database_unavailable', {
    message: OUTCOME_UNKNOWN,
    extras: { ...extras, outcome: 'unknown' },
  })
}

function asFailure(error: FastifyError | Error, reads: boolean): Failure {
  if (error instanceof Failure) return error
  if (isDatabaseDown(error)) return databaseFailure(error, reads)
  if (isDiskFull(error)) return new Failure('disk_full')
  // The body parser adds a status to its own errors; any other syntax error is a bug.
  if (error instanceof SyntaxError && 'statusCode' in error) return new Failure('bad_json')
  const known = 'code' in error ? ofFastify[error.code] : undefined
  return known ? known() : new Failure('internal')
}

export function replyWithError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const failure = asFailure(error, ['GET', 'HEAD'].includes(request.method))
  if (failure.code === 'internal') request.log.error({ err: error, reqId: request.id }, 'request failed')
  if (failure.message === DATABASE_BUSY)
    request.log.warn({ reason: error.message, reqId: request.id }, 'the database was too busy')
  const { status, code, message, details } = failure
  const body: ErrorReply = {
    ...details.extras,
    statusCode: status,
    code,
    error: STATUS_CODES[status] ?? String(status),
    message,
    ...(details.fields ? { fields: details.fields } : {}),
  }
  if (details.retryAfter !== undefined) reply.header('retry-after', details.retryAfter)
  void reply.status(status).type('application/json; charset=utf-8')
  void reply.send(answerToSender(request, reply, JSON.stringify(body)))
}

export function replyWithNoRoute(request: FastifyRequest, reply: FastifyReply): void {
  const failure = new Failure('no_route', {
    message: `Route ${request.method} ${request.url.split('?')[0]} not found`,
  })
  replyWithError(failure, request, reply)
}
