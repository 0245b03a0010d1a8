import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorReply } from '@flotilla/contract/errors'
import { isDatabaseDown } from '../db/database'
import { isDiskFull } from '../disk-room'
import { Failure } from '../fail'

const ofFastify: Record<string, () => Failure> = {
  FST_ERR_CTP_INVALID_JSON_BODY: () => new Failure('bad_json'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Failure('too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new Failure('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Failure('bad_json', { message: 'The content length does not match the body' }),
  FST_ERR_BAD_URL: () => new Failure('bad_input', { message: 'The address is not a valid URL' }),
  FST_ERR_MAX_PARAM_LENGTH: () => new Failure('not_found'),
}

function asFailure(error: FastifyError | Error): Failure {
  if (error instanceof Failure) return error
  if (isDatabaseDown(error)) return new Failure('database_unavailable', { extras: { part: 'database' } })
  if (isDiskFull(error)) return new Failure('disk_full')
  // The parser of bodies marks its own errors; another one is a defect of ours.
  if (error instanceof SyntaxError && 'statusCode' in error) return new Failure('bad_json')
  const known = 'code' in error ? ofFastify[error.code] : undefined
  return known ? known() : new Failure('internal')
}

export function replyWithError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const failure = asFailure(error)
  if (failure.code === 'internal') request.log.error({ err: error, reqId: request.id }, 'request failed')
  const { status, code, message, details } = failure
  const body: ErrorReply = {
    ...details.extras,
    statusCode: status,
    code,
    error: STATUS_CODES[status] ?? String(status),
    message,
    ...(details.fields ? { fields: details.fields } : {}),
  }
  void reply.status(status).type('application/json; charset=utf-8').send(body)
}

export function replyWithNoRoute(request: FastifyRequest, reply: FastifyReply): void {
  const failure = new Failure('no_route', {
    message: `Route ${request.method} ${request.url.split('?')[0]} not found`,
  })
  replyWithError(failure, request, reply)
}
