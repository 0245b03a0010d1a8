import * as z from 'zod/mini'
import { tokenScopes } from '../access'
import { del, get, post } from '../endpoint'
import { ACCESS_TOKEN_DAYS, ACCESS_TOKEN_DAYS_MAX, NAME_MAX } from '../limits'
import { Id, Removed, Time } from '../lists'

/** Lets people and secret scanners recognize a token. */
export const ACCESS_TOKEN_PREFIX = 'flt_'

const TokenScope = z.enum(tokenScopes)

const AccessToken = z.object({
  id: Id,
  name: z.string(),
  scope: TokenScope,
  createdAt: Time,
  expiresAt: Time,
  /** Updated at most once a minute; null if the token was never used. */
  lastUsedAt: z.nullable(Time),
  /** The address of that use. */
  lastUsedAddress: z.nullable(z.string()),
})
export type AccessToken = z.infer<typeof AccessToken>

export const NewAccessToken = z.object({
  name: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Enter a name'),
      z.maxLength(NAME_MAX, `Max character length is ${NAME_MAX}`),
    ),
  scope: TokenScope,
  /** The lifetime in days. */
  days: z._default(
    z.number().check(z.int(), z.minimum(1), z.maximum(ACCESS_TOKEN_DAYS_MAX)),
    ACCESS_TOKEN_DAYS,
  ),
})

/** `secret` is returned only by `create` and sent as `Authorization: Bearer flt_...`; it cannot be read again. */
const CreatedAccessToken = z.extend(AccessToken, { secret: z.string() })
export type CreatedAccessToken = z.infer<typeof CreatedAccessToken>

export const accessTokens = {
  list: get('/api/access-tokens', {
    summary: 'List your access tokens, newest first, without their secrets',
    access: 'member',
    tokens: 'never',
    reply: z.array(AccessToken),
  }),
  create: post('/api/access-tokens', {
    summary:
      'Create an access token for scripts. Its secret is returned only once. It works until it is revoked, it expires, or its owner’s password changes',
    access: 'member',
    tokens: 'never',
    confirm: true,
    body: NewAccessToken,
    reply: CreatedAccessToken,
    status: 201,
    failure: 'form',
  }),
  revoke: del('/api/access-tokens/:id', {
    summary: 'Revoke one of your access tokens',
    access: 'member',
    tokens: 'never',
    reply: Removed,
  }),
}
