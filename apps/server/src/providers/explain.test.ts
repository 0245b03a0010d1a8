import { describe, expect, it } from 'vitest'
import { redactor } from '../engines/process/redact'
import { explain } from './explain'

const asIs = (text: string) => text

/** Errors as the clouds' libraries throw them. */
const thrown = (message: string, more: object = {}): Error => Object.assign(new Error(message), more)
const cases: [string, Error, ReturnType<typeof explain>['kind']][] = [
  [
    'an unknown AWS key',
    thrown('The security token included in the request is invalid.', {
      name: 'InvalidClientTokenId',
      $metadata: { httpStatusCode: 403 },
    }),
    'refused',
  ],
  [
    'a wrong AWS secret key',
    thrown('The request signature we calculated does not match the signature you provided.', {
      name: 'SignatureDoesNotMatch',
      $metadata: { httpStatusCode: 403 },
    }),
    'refused',
  ],
  [
    'an expired AWS session',
    thrown('The security token included in the request is expired', {
      name: 'ExpiredToken',
      $metadata: { httpStatusCode: 403 },
    }),
    'refused',
  ],
  [
    'an AWS call with a slow clock',
    thrown('Signature expired: 20261115T060000Z is now earlier than 20261115T064500Z', {
      name: 'SignatureDoesNotMatch',
      $metadata: { httpStatusCode: 403 },
    }),
    'clock',
  ],
  [
    'a missing AWS permission',
    thrown('You are not authorized to perform this operation.', {
      name: 'UnauthorizedOperation',
      $metadata: { httpStatusCode: 403 },
    }),
    'rights',
  ],
  [
    'a wrong Azure client secret',
    thrown(
      'invalid_client: Error(s): 7000215 - Timestamp: Not Available - Description: AADSTS7000215: Invalid client secret provided. - Correlation ID: Not Available',
      { name: 'AuthenticationRequiredError' },
    ),
    'refused',
  ],
  [
    'an invalid Azure tenant',
    thrown('Invalid tenant id provided. You can locate your tenant id by following the instructions.'),
    'refused',
  ],
  [
    'an Azure login endpoint that does not respond',
    thrown('network_error: See https://aka.ms/msal.js.errors#network_error for details', {
      name: 'AuthenticationRequiredError',
    }),
    'unreachable',
  ],
  [
    'a fault of Azure’s login service',
    thrown('temporarily_unavailable: Error(s): 90033 - Description: AADSTS90033: A transient error.', {
      name: 'AuthenticationRequiredError',
    }),
    'unreachable',
  ],
  [
    'an Azure subscription without access',
    thrown('The client does not have authorization', { code: 'AuthorizationFailed', statusCode: 403 }),
    'rights',
  ],
  [
    'a deleted Google service account',
    thrown('invalid_grant: Invalid grant: account not found', {
      response: { status: 400, data: { error: 'invalid_grant' } },
    }),
    'refused',
  ],
  [
    'a Google call with a fast clock',
    thrown(
      'invalid_grant: Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
      { response: { status: 400, data: { error: 'invalid_grant' } } },
    ),
    'clock',
  ],
  [
    'a Google project without the API',
    thrown('Compute Engine API has not been used in project 1 before or it is disabled.', {
      code: 403,
      response: { data: { error: { code: 403, status: 'PERMISSION_DENIED' } } },
    }),
    'rights',
  ],
  [
    'an invalid private key',
    thrown('error:1E08010C:DECODER routines::unsupported', { code: 'ERR_OSSL_UNSUPPORTED' }),
    'refused',
  ],
  [
    'an unknown Oracle key',
    thrown('The required information to complete authentication was not provided or was incorrect.', {
      statusCode: 401,
      serviceCode: 'NotAuthenticated',
    }),
    'refused',
  ],
  [
    'an Oracle call with a wrong clock',
    thrown("Date 'Sun, 15 Nov 2026 06:00:00 GMT' is not within allowed clock skew.", {
      statusCode: 401,
      serviceCode: 'NotAuthenticated',
    }),
    'clock',
  ],
  [
    'an Oracle compartment without access',
    thrown('Authorization failed or requested resource not found.', {
      statusCode: 404,
      serviceCode: 'NotAuthorizedOrNotFound',
    }),
    'rights',
  ],
  ['a MAAS key that is wrong', thrown('Authorization Error: Invalid consumer', { status: 401 }), 'refused'],
  [
    'a host name that does not resolve',
    thrown('getaddrinfo ENOTFOUND sts.amazonaws.com', { code: 'ENOTFOUND' }),
    'unreachable',
  ],
  [
    'a refused connection, as the cause of fetch’s error',
    thrown('fetch failed', { cause: thrown('connect', { code: 'ECONNREFUSED' }) }),
    'unreachable',
  ],
  ['a fault of the cloud', thrown('Service Unavailable', { statusCode: 503 }), 'unreachable'],
  [
    'too many requests',
    thrown('Rate exceeded', { name: 'Throttling', $metadata: { httpStatusCode: 400 } }),
    'failed',
  ],
  ['something else', thrown('Unexpected token < in JSON'), 'failed'],
]

describe('why a cloud rejected a call', () => {
  it.each(cases)('%s', (_what, error, kind) => {
    const refusal = explain('AWS', error, asIs)
    expect(refusal.kind).toBe(kind)
    expect(refusal.message.length).toBeGreaterThan(20)
  })

  it('is found in the messages of other programs', () => {
    for (const text of [
      'operation error STS: GetCallerIdentity, StatusCode: 403, api error InvalidClientTokenId: The security token is invalid.',
      'received HTTP status 401 with response: AADSTS7000215: Invalid client secret provided.',
      '401-NotAuthenticated, The required information to complete authentication was not provided.',
      'oauth2: "invalid_grant" "Invalid grant: account not found"',
      'ServerError: 401 Unauthorized (Authorization Error: Invalid API key.)',
    ])
      expect(explain('The cloud', new Error(text), asIs).kind, text).toBe('refused')
  })

  it('is unknown for values that are not errors', () => {
    for (const odd of [undefined, null, 'no', 7, {}, []])
      expect(explain('AWS', odd, asIs).kind).toBe('failed')
    const round: { cause?: unknown } = {}
    round.cause = round
    expect(explain('AWS', round, asIs).kind).toBe('failed')
  })

  it("redacts every secret in the cloud's message", () => {
    const error = thrown('no hunter2-secret here', { statusCode: 400 })
    const { message } = explain('Google Cloud', error, redactor(['hunter2-secret']))
    expect(message).toContain('Google Cloud says: no (redacted) here')
  })
})
