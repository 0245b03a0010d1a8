import type { Activity } from '@flotilla/contract/people/activities'
import type { Page } from '@flotilla/contract/lists'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { NewActivity } from '../../db/tables'
import type { RequestContext } from '../../http/caller'
import * as store from './store'

export type ActivityInput = { action: string; subject: string; detail?: string; clusterId?: string }
export type Actor = { id: string; username: string } | null

export type Context = Pick<RequestContext, 'requestId'> | null
/** Writes what was refused to the audit trail; the caller does not wait for it. */
export type NoteRefusal = (actor: Actor, context: Context, activity: ActivityInput) => void

/** Only the line, for a statement that writes it together with the change it describes. */
export const lineOf = (
  actor: Actor,
  context: Context,
  { action, subject, detail = '', clusterId }: ActivityInput,
): NewActivity => ({
  time: new Date(),
  actor_id: actor?.id ?? null,
  actor: actor?.username ?? null,
  action,
  subject,
  detail,
  request_id: context?.requestId ?? null,
  cluster_id: clusterId ?? null,
})

/** Writes a line of the audit trail in the transaction of the change it describes. */
export async function record(
  tx: Transaction,
  actor: Actor,
  context: Context,
  activity: ActivityInput,
): Promise<void> {
  await store.insert(tx, lineOf(actor, context, activity))
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
