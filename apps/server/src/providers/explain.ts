import { isWriteOnly } from '@flotilla/contract/clouds/credentials'
import type { Authentication } from '@flotilla/contract/clouds/providers'
import { redactor } from '../engines/process/redact'
import type { CredentialData } from './fields/credential-data'

/** Why a cloud refused a call, classified by what a user can do about it. */
export type Refusal = {
  /** `unreachable` says nothing about the credential. */
  kind: 'refused' | 'rights' | 'clock' | 'unreachable' | 'failed'
  message: string
}

/** Everything that the clouds' libraries attach to their errors and the causes of these. */
type Signs = { codes: string[]; status: number | undefined; text: string }

const NETWORK =
  /^(ENOTFOUND|EAI_\w+|ECONN\w+|ENETUNREACH|EHOSTUNREACH|EHOSTDOWN|ETIMEDOUT|EPIPE|EPROTO|UND_ERR_(?!INVALID)\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|ERR_TLS_\w+|ERR_SSL_\w+|TimeoutError|AbortError|NetworkingError|REQUEST_SEND_ERROR|network_error|endpoints_resolution_error)$/
const CLOCK_CODES = /^(RequestTimeTooSkewed|RequestExpired|ExpiredAuthenticationToken|AADSTS(700024|50013))$/
const CLOCK_PHRASES =
  /clock skew|signature (expired|not yet current)|expired timestamp|short-lived token|not yet valid/i
const EXPIRED = /^(ExpiredToken\w*|TokenRefreshRequired|AADSTS7000222)$/
const UNREADABLE_KEY = /^(ERR_(OSSL|CRYPTO)\w*|Key(Parse|Encrypted)Error)$/
const REFUSED =
  /^(InvalidClientTokenId|InvalidAccessKeyId|SignatureDoesNotMatch|AuthFailure|UnrecognizedClientException|IncompleteSignature\w*|MissingAuthenticationToken|CredentialsProviderError|NotAuthenticated|InvalidAuthenticationToken\w*|UNAUTHENTICATED|invalid_(client|grant|request|tenant)|unauthorized_client|Unauthorized|AADSTS\d+)$/
/** Errors of Azure's library before it sends a request. */
const REFUSED_PHRASES = /^Invalid tenant id|^ClientSecretCredential: \w+ is a required parameter/
const RIGHTS =
  /^(AccessDenied\w*|UnauthorizedOperation|AuthorizationFailed|LinkedAuthorizationFailed|SubscriptionNotFound|PERMISSION_DENIED|SERVICE_DISABLED|accessNotConfigured|NotAuthorized\w*|OptInRequired|Forbidden)$/
const SLOW_DOWN =
  /^(Throttl\w+|RequestLimitExceeded|TooManyRequests\w*|RESOURCE_EXHAUSTED|rateLimitExceeded|AADSTS900(24|55))$/
/** A fault of the cloud's login service, which says nothing about the credential. */
const FAULT = /^(temporarily_unavailable|server_error|AADSTS90033)$/

/** Redacts a credential's secret values in texts. */
export const redactFor = (authentications: readonly Authentication[], data: CredentialData) => {
  const secrets = authentications.filter(isWriteOnly).flatMap(({ id }) => data[id] ?? [])
  // A MAAS key consists of three secrets.
  return redactor(secrets.flatMap((value) => [value, ...value.split(':')]))
}

/**
 * `redact` removes secrets from the cloud's own message, which may repeat parts of the request; `right` is the
 * permission that was needed, if known.
 */
export function explain(
  cloud: string,
  error: unknown,
  redact: (text: string) => string,
  right?: string,
): Refusal {
  const signs = signsOf(error)
  const is = (pattern: RegExp) => signs.codes.some((code) => pattern.test(code))
  const { status } = signs
  const quote = quoted(cloud, redact(signs.text))
  if (is(CLOCK_CODES) || CLOCK_PHRASES.test(signs.text))
    return {
      kind: 'clock',
      message: `${cloud} rejected the call because this server’s clock is wrong. Set it (timedatectl set-ntp true) and try again.${quote}`,
    }
  if (is(NETWORK) || /fetch failed|socket hang up|network error/i.test(signs.text))
    return {
      kind: 'unreachable',
      message: `${cloud} cannot be reached from this server. Check its network, DNS and proxy, then try again.`,
    }
  if (is(SLOW_DOWN) || status === 429)
    return { kind: 'failed', message: `${cloud} is rate limiting requests. Try again in a minute.` }
  if (is(FAULT) || (status !== undefined && status >= 500))
    return {
      kind: 'unreachable',
      message: `${cloud} has an internal error right now${status ? ` (${status})` : ''}. Try again later.`,
    }
  if (is(EXPIRED))
    return { kind: 'refused', message: `These keys have expired at ${cloud}. Create new ones.${quote}` }
  if (is(UNREADABLE_KEY))
    return {
      kind: 'refused',
      message:
        'The private key cannot be read. Paste all of it, including the BEGIN and END lines, without a passphrase.',
    }
  if (status === 401 || is(REFUSED) || REFUSED_PHRASES.test(signs.text))
    return {
      kind: 'refused',
      message: `${cloud} rejected this key: a value is wrong, or the key was disabled or deleted.${quote}`,
    }
  if (status === 403 || is(RIGHTS))
    return {
      kind: 'rights',
      message: `${cloud} accepts this key, but it lacks the permission ${right ?? 'for this'}.${quote}`,
    }
  return { kind: 'failed', message: `${cloud} responded in an unexpected way.${quote}` }
}

const QUOTE_MAX = 300
/** Quotes the cloud's message, without NUL characters, which the database does not store in text. */
function quoted(cloud: string, text: string): string {
  const quote = text.replaceAll('\0', ' ').replace(/\s+/g, ' ').trim()
  if (quote === '') return ''
  return ` ${cloud} says: ${quote.length > QUOTE_MAX ? `${quote.slice(0, QUOTE_MAX)}…` : quote}`
}

/** Words that look like a cloud's error codes. */
const CODE = /\b(?:AADSTS\d+|\w+_\w+|[A-Za-z]*[a-z][A-Z]\w*|Unauthorized|Forbidden)\b/g

const DEEPEST = 5
function signsOf(error: unknown): Signs {
  const codes: string[] = []
  let status: number | undefined
  let text = ''
  let at: unknown = error
  for (let depth = 0; depth < DEEPEST && isObject(at); depth++) {
    for (const part of [at, at.errorResponse, at.details, responseData(at)]) {
      if (!isObject(part)) continue
      for (const name of ['name', 'code', 'Code', 'serviceCode', 'error', 'status', 'reason'])
        if (typeof part[name] === 'string') codes.push(part[name])
    }
    status ??= [at.statusCode, at.status, at.code, metadataStatus(at)].find(
      (value): value is number => typeof value === 'number' && value >= 400 && value < 600,
    )
    // A message about a schema mismatch is ours, not the cloud's.
    if (text === '' && typeof at.message === 'string' && !Array.isArray(at.issues)) text = at.message
    at = at.cause
  }
  codes.push(...(text.match(CODE) ?? []))
  return { codes, status, text }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
const metadataStatus = ({ $metadata }: Record<string, unknown>): unknown =>
  isObject($metadata) ? $metadata.httpStatusCode : undefined
/**
 * Google's library attaches the response: `{ error: 'invalid_grant' }` or `{ error: { status: 'PERMISSION_DENIED' } }`.
 */
function responseData({ response }: Record<string, unknown>): unknown {
  const data = isObject(response) ? response.data : undefined
  return isObject(data) && isObject(data.error) ? data.error : data
}
