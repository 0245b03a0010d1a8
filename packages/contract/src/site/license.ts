import * as z from 'zod/mini'
import { del, get, put } from '../endpoint'
import { Time } from '../lists'

/** The license of a site without a license file: community use. */
export const DEFAULT_LICENSE = 'Site'
export const MULTI_USER_LICENSE = 'Multi-User'

export const License = z.object({
  licenseType: z.string(),
  issuedTo: z.nullable(z.string()),
  validFrom: z.nullable(Time),
  validUntil: z.nullable(Time),
})
export type License = z.infer<typeof License>

/** Why a license is not valid; the error reply contains the key as `reason`. */
export const licenseProblems = {
  unreadable: 'The license file cannot be read',
  forged: 'The license signature does not match its content',
  expired: 'The license has expired',
  not_yet_valid: 'The license is not valid yet',
} as const
export type LicenseProblem = keyof typeof licenseProblems

const LICENSE_CHARS_MAX = 64 * 1024
const TOO_LONG = 'This is too long for a license'
const NO_LICENSE = 'Choose a license file, or paste its content'
/** The content of a license file, and of its issuer's public key if the server's environment does not set one. */
export const LicenseUpload = z.strictObject({
  license: z
    .string(NO_LICENSE)
    .check(z.trim(), z.minLength(1, NO_LICENSE), z.maxLength(LICENSE_CHARS_MAX, TOO_LONG)),
  publicKey: z._default(
    z.string().check(z.trim(), z.maxLength(4096, 'This is too long for a public key')),
    '',
  ),
})

export const LicenseSource = z.object({
  /** `file`: LICENSE_FILE in the server's environment; `none`: community use. */
  source: z.enum(['file', 'uploaded', 'none']),
  /** Whether LICENSE_PUBLIC_KEY_FILE sets the issuer's key. */
  hasServerKey: z.boolean(),
  uploadedBy: z.nullable(z.string()),
  uploadedAt: z.nullable(Time),
})
export type LicenseSource = z.infer<typeof LicenseSource>

export const license = {
  view: get('/api/license', {
    summary: 'Get the license of this site, or why it is invalid',
    access: 'everyone',
    reply: License,
    failure: 'caller',
  }),
  source: get('/api/settings/license', {
    summary: 'Get the source of this site’s license',
    access: 'admin',
    reply: LicenseSource,
  }),
  upload: put('/api/settings/license', {
    summary: 'Install a license. One that is not valid now is refused, with the reason',
    access: 'admin',
    tokens: 'never',
    body: LicenseUpload,
    reply: License,
    failure: 'form',
  }),
  remove: del('/api/settings/license', {
    summary: 'Remove the uploaded license',
    access: 'admin',
    tokens: 'never',
    reply: License,
  }),
}
