import { mailSecurities, type mail, type MailView } from '@flotilla/contract/site/mail'
import * as z from 'zod/mini'

/** The form's fields. The server validates host and login, which matter only while a mail server is used. */
export const MailFields = z.object({
  from: z.string(),
  uses: z.enum(['server', 'files']),
  server: z.object({
    host: z.string(),
    port: z.nullable(z.number()),
    security: z.enum(mailSecurities),
    username: z.string(),
    password: z.string(),
  }),
})
type Fields = z.infer<typeof MailFields>

export const fieldsOf = ({ from, server }: MailView): Fields => ({
  from: from ?? '',
  uses: server ? 'server' : 'files',
  server: {
    ...(server ?? { host: '', port: 587, security: 'starttls', username: '' }),
    password: '',
  },
})

export function changeOf({ from, uses, server }: Fields, { setBy }: MailView): z.input<typeof mail.set.body> {
  const { password, port, ...rest } = server
  const usesServer = setBy === null && uses === 'server'
  return {
    from: from.trim() === '' ? null : from,
    // An empty password keeps the stored one.
    server: usesServer ? { ...rest, port: port ?? 0, ...(password !== '' && { password }) } : null,
  }
}
