import { CODE_LIFE_MS } from '@flotilla/contract/limits'
import type { Mail } from '../../mail/mail'

export const codeMail = (to: string, training: string, code: string): Mail => ({
  to,
  subject: `${code} is your verification code`,
  text: `Hello,

Your verification code for the workshop “${training}” is

    ${code}

It works once and expires in ${CODE_LIFE_MS / 60_000} minutes. If you did not request it, ignore this email.
`,
})
