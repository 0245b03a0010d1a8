import type { MailSettings } from '@flotilla/contract/site/mail'
import type { Queryable, Transaction } from '../../db/database'

const select = (db: Queryable) =>
  db.selectFrom('site_settings').select(['mail', 'sealed_mail_password as sealedPassword'])

export const stored = (db: Queryable) => select(db).executeTakeFirstOrThrow()
/** Locks the settings until the transaction ends. */
export const lock = (tx: Transaction) => select(tx).forUpdate().executeTakeFirstOrThrow()

export const save = (db: Queryable, mail: MailSettings, sealedPassword: string | null) =>
  db
    .updateTable('site_settings')
    .set({ mail: JSON.stringify(mail), sealed_mail_password: sealedPassword })
    .execute()
