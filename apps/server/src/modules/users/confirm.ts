import { MULTI_USER_LICENSE } from '@flotilla/contract/site/license'
import { CODE_LIFE_MS } from '@flotilla/contract/limits'
import type { Transaction } from '../../db/database'
import type { Mail } from '../../mail/mail'
import type { QueueMail } from '../../mail/tasks'
import type { LicenseCheck } from '../license/license'
import type { OneTime } from '../onetime/onetime'

type Person = { id: string; username: string; email: string }

const codeMail = ({ username, email }: Person, code: string): Mail => ({
  to: email,
  subject: `${code} is your verification code`,
  text: `Hello ${username},

Your verification code is

    ${code}

It works once and expires in ${CODE_LIFE_MS / 60_000} minutes. If you did not request it, ignore this email.
`,
})

/** Confirmation of email addresses with emailed codes. */
export const makeConfirm = (license: LicenseCheck, oneTime: OneTime, queueMail: QueueMail) => ({
  mustConfirm: async (): Promise<boolean> => (await license.current()).licenseType === MULTI_USER_LICENSE,
  async sendCode(tx: Transaction, person: Person): Promise<void> {
    await queueMail(tx, codeMail(person, await oneTime.makeCode(tx, person.id)))
  },
})
