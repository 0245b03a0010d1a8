import { describe, expect, it } from 'vitest'
import { redactor } from '../engines/process/redact'
import { explain } from './explain'

const asIs = (text: string) => text

/** Errors as the clouds' libraries throw them. */
const thrown = (message: string, more: object = {}): Error => Object.assign(new Error(message), more)
const cases: [string, Error, ReturnType<typeof explain>['kind']][] = [
  [
    'an AWS key that is not known',
    thrown('The security token included in the request is invalid.', {
      name: 'InvalidClientTokenId',
      $metadata: { httpStatusCode: 403 },
    }),
    'refused',
  ],
  [
    'an AWS secret that does not fit',
    thrown('The request signature we calculated does not match the signature you provided.', {
      name: 'SignatureDoesNotMatch',
      $metadata: { httpStatusCode: 403 },
    }),
    'refused',
  ],
  [
    'an AWS session that is over',
    thrown('The security token included in the request is expired', {
      name: 'ExpiredToken',
      $metadata: { httpStatusCode: 403 },
    }),
    'refused',
  ],
  [
    'an AWS call from a clock that is behind',
    thrown('Signature expired: 20261115T060000Z is now earlier than 20261115T064500Z', {
      name: 'SignatureDoesNotMatch',
      $metadata: { httpStatusCode: 403 },
    }),
    'clock',
  ],
  [
    'an AWS right that is missing',
    thrown('You are not authorized to perform this operation.', {
      name: 'UnauthorizedOperation',
      $metadata: { httpStatusCode: 403 },
    }),
    'rights',
  ],
  [
    'a wrong secret of Azure',
    thrown(
      'invalid_client: Error(s): 7000215 - Timestamp: Not Available - Description: AADSTS7000215: Invalid client secret provided. - Correlation ID: Not Available',
      { name: 'AuthenticationRequiredError' },
    ),
    'refused',
  ],
  [
    'a tenant of Azure that cannot be one',
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
    'a login of Azure that has a fault',
    thrown('temporarily_unavailable: Error(s): 90033 - Description: AADSTS90033: A transient error.', {
      name: 'AuthenticationRequiredError',
    }),
    'unreachable',
  ],
  [
    'an Azure subscription that it may not see',
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
    'a Google call from a clock that is ahead',
    thrown(
      'invalid_grant: Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
      { response: { status: 400, data: { error: 'invalid_grant' } } },
    ),
    'clock',
  ],
  [
    'a Google project without the interface',
    thrown('Compute Engine API has not been used in project 1 before or it is disabled.', {
      code: 403,
      response: { data: { error: { code: 403, status: 'PERMISSION_DENIED' } } },
    }),
    'rights',
  ],
  [
    'a key that is no key',
    thrown('error:1E08010C:DECODER routines::unsupported', { code: 'ERR_OSSL_UNSUPPORTED' }),
    'refused',
  ],
  [
    'an Oracle key that is not known',
    thrown('The required information to complete authentication was not provided or was incorrect.', {
      statusCode: 401,
      serviceCode: 'NotAuthenticated',
    }),
    'refused',
  ],
  [
    'an Oracle call from a wrong clock',
    thrown("Date 'Sun, 15 Nov 2026 06:00:00 GMT' is not within allowed clock skew.", {
      statusCode: 401,
      serviceCode: 'NotAuthenticated',
    }),
    'clock',
  ],
  [
    'an Oracle compartment that it may not see',
    thrown('Authorization failed or requested resource not found.', {
      statusCode: 404,
      serviceCode: 'NotAuthorizedOrNotFound',
    }),
    'rights',
  ],
  ['a MAAS key that is wrong', thrown('Authorization Error: Invalid consumer', { status: 401 }), 'refused'],
  [
    'a name that is not found',
    thrown('getaddrinfo ENOTFOUND sts.amazonaws.com', { code: 'ENOTFOUND' }),
    'unreachable',
  ],
  [
    'a port that nothing listens on, inside what fetch throws',
    thrown('fetch failed', { cause: thrown('connect', { code: 'ECONNREFUSED' }) }),
    'unreachable',
  ],
  ['a fault of the cloud', thrown('Service Unavailable', { statusCode: 503 }), 'unreachable'],
  [
    'too many calls',
    thrown('Rate exceeded', { name: 'Throttling', $metadata: { httpStatusCode: 400 } }),
    'failed',
  ],
  ['something else', thrown('Unexpected token < in JSON'), 'failed'],
]

describe('why a cloud refused', () => {
  it.each(cases)('%s', (_what, error, kind) => {
    const refusal = explain('AWS', error, asIs)
    expect(refusal.kind).toBe(kind)
    expect(refusal.message.length).toBeGreaterThan(20)
  })

  it('finds it in the words of other programs', () => {
    for (const text of [
      'operation error STS: GetCallerIdentity, StatusCode: 403, api error InvalidClientTokenId: The security token is invalid.',
      'received HTTP status 401 with response: AADSTS7000215: Invalid client secret provided.',
      '401-NotAuthenticated, The required information to complete authentication was not provided.',
      'oauth2: "invalid_grant" "Invalid grant: account not found"',
      'ServerError: 401 Unauthorized (Authorization Error: Invalid API key.)',
    ])
      expect(explain('The cloud', new Error(text), asIs).kind, text).toBe('refused')
  })

  it('bears what is not an error at all', () => {
    for (const odd of [undefined, null, 'no', 7, {}, []])
      expect(explain('AWS', odd, asIs).kind).toBe('failed')
    const round: { cause?: unknown } = {}
    round.cause = round
    expect(explain('AWS', round, asIs).kind).toBe('failed')
  })

  it("leaves every secret out of the cloud's words", () => {
    const error = thrown('no hunter2-secret here', { statusCode: 400 })
    const { message } = explain('Google Cloud', error, redactor(['hunter2-secret']))
    expect(message).toContain('Google Cloud says: no (redacted) here')
  })
})
