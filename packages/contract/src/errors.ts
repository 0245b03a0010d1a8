import * as z from 'zod/mini'
import { messages } from './messages'

/**
 * Texts that the web app shows on its own: importing only these keeps the catalog below out of the browser's bundle.
 */
export const TOO_MANY_SOCKETS = 'You have too many live connections open. Close some tabs of this site.'
export const LAST_ADMIN = 'This is the last admin. Make someone else an admin first.'

/**
 * Every failure the API replies with: its code, HTTP status and default text. The code that fails may give a more
 * specific text.
 */
export const errors = {
  bad_input: { status: 400, message: 'Some fields are invalid' },
  bad_json: { status: 400, message: 'The request body is not valid JSON' },
  wrong_password: { status: 400, message: 'The current password is incorrect' },
  bad_reset_token: {
    status: 400,
    message: 'This recovery link is no longer valid. Request a new one.',
  },
  bad_invitation: {
    status: 400,
    message: 'This invitation is no longer valid. Ask for a new one.',
  },
  bad_session_code: {
    status: 400,
    message: 'No workshop has this session code. Check it with your instructor.',
  },
  bad_code: { status: 400, message: messages.invalidCode },
  wrong_credentials: { status: 401, message: messages.authenticationError },
  no_session: { status: 401, message: 'Log in to do this' },
  session_ended: { status: 401, message: messages.sessionEnded },
  session_expired: { status: 401, message: messages.sessionExpired },
  bad_access_token: {
    status: 401,
    message: 'This access token is invalid, revoked or expired',
  },
  forbidden: { status: 403, message: 'Your role does not allow this' },
  admin_scope_needed: {
    status: 403,
    message: 'This belongs to someone else. Admins can change it by sending the header "admin: true".',
  },
  confirm_needed: { status: 403, message: 'Confirm your password to continue' },
  token_scope: { status: 403, message: 'The scope of this access token does not allow this' },
  not_verified: { status: 403, message: 'Confirm your email address first. We sent you a code.' },
  account_ended: { status: 403, message: 'This account has expired' },
  registration_off: { status: 403, message: 'Registration is turned off on this site' },
  ldap_off: { status: 403, message: 'LDAP login is turned off on this site' },
  ldap_not_allowed: {
    status: 403,
    message: 'Your directory account is not allowed on this site. Contact your administrator.',
  },
  workshops_off: { status: 403, message: 'Workshops are turned off on this site' },
  verification_needed: { status: 403, message: 'Verify your email address first. We sent you a code.' },
  license_invalid: { status: 403, message: messages.licenseInvalid },
  not_found: { status: 404, message: 'Not found, or you do not have access to it' },
  no_route: { status: 404, message: 'Route not found' },
  duplicate_entry: { status: 406, message: 'This username or email address is already taken' },
  other_account: {
    status: 409,
    message: 'Another account on this site has this username. Contact your administrator.',
  },
  no_torque: { status: 409, message: 'Torque is not in any public package repository' },
  set_elsewhere: {
    status: 409,
    message: 'A file or variable on the server sets this. Change it there.',
  },
  wrong_state: { status: 409, message: 'Not possible in this state' },
  no_account: { status: 409, message: 'You have no account on this cluster' },
  desktop_missing: { status: 409, message: 'Desktop software is missing on this cluster' },
  desktop_failed: { status: 409, message: 'The desktop did not start' },
  file_refused: { status: 409, message: 'The file system rejected this request' },
  scheduler_refused: { status: 409, message: 'The resource manager rejected this request' },
  last_admin: { status: 409, message: LAST_ADMIN },
  cloud_refused: { status: 409, message: 'The cloud rejected this request' },
  workshop_full: { status: 409, message: 'All seats of this workshop are taken. Ask your instructor.' },
  in_use: { status: 409, message: 'This is still in use' },
  too_many_tokens: { status: 409, message: 'You have too many access tokens. Revoke one first.' },
  owner_needed: { status: 409, message: 'This user still owns resources. Choose a new owner for them.' },
  too_large: { status: 413, message: 'The request is too large' },
  unsupported_media_type: { status: 415, message: 'Send JSON (content-type: application/json)' },
  too_many_requests: { status: 429, message: 'Too many requests. Wait a moment and try again.' },
  too_many_attempts: {
    status: 429,
    message: 'Too many attempts. Wait a few minutes and try again.',
  },
  too_many_sockets: { status: 429, message: TOO_MANY_SOCKETS },
  internal: { status: 500, message: messages.unknownError },
  head_node_unavailable: { status: 503, message: 'The cluster’s head node cannot be reached' },
  cloud_unavailable: { status: 503, message: 'The cloud cannot be reached' },
  ldap_unavailable: { status: 503, message: 'The LDAP server cannot be reached' },
  engine_unavailable: {
    status: 503,
    message: 'OpenTofu or Packer is not available on the console’s machine',
  },
  disk_full: {
    status: 503,
    message:
      'Nothing was saved because the console’s disk is full. Ask an admin to free up space, then try again.',
  },
  database_unavailable: {
    status: 503,
    message: 'The database cannot be reached. Try again in a moment.',
  },
} as const satisfies Record<string, { status: number; message: string }>
export type ErrorCode = keyof typeof errors

/** The text of `database_unavailable` when a write was sent and no response arrived; `outcome` is then `unknown`. */
export const OUTCOME_UNKNOWN =
  'The database stopped responding. Your change may or may not have been saved. Check before you try again.'

/** The text of `database_unavailable` for a statement that an overloaded database canceled. */
export const DATABASE_BUSY = 'The database is too busy. Try again in a moment.'

export const ErrorReply = z.looseObject({
  statusCode: z.number(),
  code: z.string(),
  /** The HTTP status text. */
  error: z.string(),
  message: z.string(),
  /** The error of each invalid field; nested fields are named as in `a.b`. */
  fields: z.optional(z.record(z.string(), z.string())),
  /** Present if the caller can do something about the cause. */
  reason: z.optional(z.string()),
  allowedDomains: z.optional(z.array(z.string())),
  /** The public key that the message asks someone to install. */
  publicKey: z.optional(z.string()),
  /** The change may have been made anyway: check before repeating it. */
  outcome: z.optional(z.literal('unknown')),
})
export type ErrorReply = z.infer<typeof ErrorReply>
