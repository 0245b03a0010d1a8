import * as z from 'zod/mini'
import { get, post, put } from '../endpoint'
import { Email } from '../email'

const HOST = 'Enter a hostname or an IP address'
const PORT = 'Enter a port from 1 to 65535'

export const mailSecurities = ['starttls', 'tls', 'none'] as const
const MailServer = z.object({
  host: z
    .string(HOST)
    .check(z.trim(), z.maxLength(253, HOST), z.regex(/^(\[?[0-9a-fA-F:]+\]?|[a-zA-Z0-9.-]+)$/, HOST)),
  port: z.number(PORT).check(z.int(PORT), z.minimum(1, PORT), z.maximum(65_535, PORT)),
  /** `starttls` and `tls` require a valid certificate. */
  security: z.enum(mailSecurities),
  /** Empty if the server needs no login. */
  username: z.string().check(z.trim(), z.maxLength(254, 'The username is too long')),
})

export const MailSettings = z.object({
  /** The sender's address; null means the default. */
  from: z.nullable(Email),
  /** Null means that mail is only written to files on the server. */
  server: z.nullable(MailServer),
})
export type MailSettings = z.infer<typeof MailSettings>

export const MailChange = z.strictObject({
  from: MailSettings.shape.from,
  server: z.nullable(
    z.extend(MailServer, {
      /** Write-only. If omitted, the stored password is kept. */
      password: z.optional(z.string().check(z.maxLength(1000, 'The password is too long'))),
    }),
  ),
})
export type MailChange = z.infer<typeof MailChange>

export const MailView = z.extend(MailSettings, {
  hasPassword: z.boolean(),
  defaultFrom: z.string(),
  /** The environment variable that sets the mail server, which then cannot be changed here. */
  setBy: z.nullable(z.literal('SMTP_URL')),
})
export type MailView = z.infer<typeof MailView>

export const MailTest = z.object({
  steps: z.array(
    z.object({
      step: z.string(),
      state: z.enum(['ok', 'warning', 'failed']),
      message: z.string(),
      ms: z.number(),
    }),
  ),
})
export type MailTest = z.infer<typeof MailTest>

export const mail = {
  view: get('/api/settings/mail', {
    summary: 'Get the mail settings, without the password',
    access: 'admin',
    reply: MailView,
  }),
  set: put('/api/settings/mail', {
    summary: 'Change the mail server and the sender address',
    access: 'admin',
    tokens: 'never',
    // Anyone who receives the site's mail could reset every password.
    confirm: true,
    body: MailChange,
    reply: MailView,
    failure: 'form',
  }),
  test: post('/api/settings/mail/test', {
    summary: 'Send a test email with the saved settings and return the mail server’s response',
    access: 'admin',
    tokens: 'never',
    body: z.object({ to: Email }),
    reply: MailTest,
    failure: 'form',
  }),
}
