import * as z from 'zod/mini'
import { EMAIL_MAX } from './limits'
import { messages } from './messages'

export const Email = z
  .string()
  .check(z.trim(), z.toLowerCase(), z.email(messages.email), z.maxLength(EMAIL_MAX, messages.email))

const DOMAIN = 'Enter a domain such as example.org'
const TOO_MANY = 'Enter at most 100 domains'

/** The part of an address after the @. A subdomain is a domain of its own. */
const EmailDomain = z
  .string(DOMAIN)
  .check(
    z.trim(),
    z.toLowerCase(),
    z.maxLength(253, DOMAIN),
    z.regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/, DOMAIN),
  )
export const EmailDomains = z.array(EmailDomain).check(z.maxLength(100, TOO_MANY))

export const hasDomainIn = (email: string, domains: readonly string[]): boolean =>
  domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())

/** The specification's text. */
export const domainNotAllowedText = (domains: readonly string[]): string =>
  `Email domain not allowed. Please use an email from one of these domains: ${domains.join(', ')}`
