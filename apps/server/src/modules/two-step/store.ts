import type { TwoStepChange } from '@flotilla/contract/site/two-step'
import type { Queryable, Transaction } from '../../db/database'

export type TwoStepRow = {
  id: string
  name: string
  enabled: boolean
  email_domains: string[]
  created_at: Date
  updated_at: Date
}

export const list = (db: Queryable): Promise<TwoStepRow[]> =>
  db.selectFrom('two_step_settings').selectAll().orderBy('created_at', 'desc').orderBy('id').execute()

export const lock = (tx: Transaction, id: string): Promise<TwoStepRow | undefined> =>
  tx.selectFrom('two_step_settings').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const insert = (db: Queryable, row: TwoStepRow) =>
  db.insertInto('two_step_settings').values(row).execute()

export const update = (db: Queryable, id: string, { name, enabled, emailDomains }: TwoStepChange, at: Date) =>
  db
    .updateTable('two_step_settings')
    .set({ name, enabled, email_domains: emailDomains, updated_at: at })
    .where('id', '=', id)
    .execute()
