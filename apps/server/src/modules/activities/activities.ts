import type { Activity } from '@flotilla/contract/activities'
import type { Page } from '@flotilla/contract/lists'
import type { Database, Transaction } from '../../db/database'
import type { RequestContext } from '../../http/caller'
import * as store from './store'

export type Deed = { action: string; subject: string; detail?: string }
export type Actor = { id: string; username: string } | null

/** Writes a line of the audit trail in the transaction of what it tells about. */
export async function record(
  tx: Transaction,
  actor: Actor,
  context: Pick<RequestContext, 'requestId'> | null,
  { action, subject, detail = '' }: Deed,
): Promise<void> {
  await store.insert(tx, {
    time: new Date(),
    actor_id: actor?.id ?? null,
    actor: actor?.username ?? null,
    action,
    subject,
    detail,
    request_id: context?.requestId ?? null,
  })
}

export type Activities = ReturnType<typeof makeActivities>
export const makeActivities = (db: Database) => ({
  async list({ limit, cursor }: Page): Promise<{ items: Activity[]; next: string | null }> {
    const rows = await store.list(db.kysely, limit + 1, cursor)
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
