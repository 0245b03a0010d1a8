import { CODE_LIFE_MS } from '@flotilla/contract/limits'
import type { Mail } from '../../mail/mail'

export const codeMail = (person: { username: string; email: string }, code: string): Mail => ({
  to: person.email,
  subject: `${code} is your verification code`,
  text: `Hello ${person.username},

your verification code is

    ${code}

It works once, within ${CODE_LIFE_MS / 60_000} minutes. If you did not ask for it, ignore this mail.
`,
})
