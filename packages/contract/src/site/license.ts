import * as z from 'zod/mini'
import { get } from '../endpoint'
import { Time } from '../lists'

/** What a site without a license file has: community use. */
export const DEFAULT_LICENSE = 'Site'
export const MULTI_USER_LICENSE = 'Multi-User'

export const License = z.object({
  licenseType: z.string(),
  issuedTo: z.nullable(z.string()),
  validFrom: z.nullable(Time),
  validUntil: z.nullable(Time),
})
export type License = z.infer<typeof License>

/** Why a license does not hold; the error reply carries it as `reason`. */
export const licenseProblems = {
  unreadable: 'The license file cannot be read',
  forged: 'The license signature does not match its content',
  expired: 'The license has expired',
  not_yet_valid: 'The license is not valid yet',
} as const
export type LicenseProblem = keyof typeof licenseProblems

export const license = {
  view: get('/api/license', {
    summary: 'Get the license of this site, or why it is invalid',
    access: 'everyone',
    reply: License,
    failure: 'caller',
  }),
}
