import type { Activity } from '@flotilla/contract/activities'
import type { Page } from '@flotilla/contract/lists'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import { lineOf, type Actor, type Context, type Deed } from './line'
import * as store from './store'

export { lineOf, type Actor, type Deed } from './line'
export { makeRefusals, type Refusals } from './refusals'
export { activityColumns, type NewActivity } from './store'

/** Writes a line of the audit trail in the transaction of what it tells about. */
export async function record(tx: Transaction, actor: Actor, context: Context, deed: Deed): Promise<void> {
  await store.insert(tx, lineOf(actor, context, deed))
}

export type Activities = ReturnType<typeof makeActivities>
export const makeActivities = (db: Database) => ({
  async list({ limit, cursor }: Page): Promise<{ items: Activity[]; next: string | null }> {
    if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
      fail('bad_input', { fields: { cursor: 'is not a cursor of this list' } })
    const rows = await store.list(db.kysely, limit + 1, cursor === undefined ? undefined : Number(cursor))
    const items = rows.slice(0, limit).map((row) => ({
      id: String(row.id),
      time: row.time.getTime(),
      actor: row.actor,
      action: row.action,
      subject: row.subject,
      detail: row.detail,
      requestId: row.request_id,
    }))
    return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
  },
})
