import type { Activity, ActivityFilter } from '@flotilla/contract/people/activities'
import {
  AuditChange,
  subjectText,
  type AuditAction,
  type AuditSubject,
  type SubjectKind,
  type SubjectKindOf,
} from '@flotilla/contract/people/audit'
import type { Page } from '@flotilla/contract/lists'
import * as z from 'zod/mini'
import { describeNetwork } from '../../network/client-network'
import { readPage, NUMBER_ID, type Cursor } from '../../db/cursors'
import type { Database, Transaction } from '../../db/database'
import type { FoundActivity, NewActivity } from '../../db/tables/activities'
import type { AuditSource } from '../../http/caller'
import { signed, type UnsignedActivity } from './records'
import * as store from './store'

export type ActivityInput<Action extends AuditAction = AuditAction> = {
  action: Action
  subject: AuditSubject<SubjectKindOf<Action>>
  detail?: string
  /** Every field that was changed: see changes.ts. */
  changes?: AuditChange[]
  /** The cluster that it happened on, if that is not the subject. */
  clusterId?: string
}
export type Actor = { id: string; username: string } | null

/** A thing or a person as the subject of an activity. */
export const subjectOf = <Kind extends SubjectKind>(
  kind: Kind,
  thing: { id: string; name: string } | { id: string; username: string },
): AuditSubject<Kind> => ({ kind, id: thing.id, name: 'username' in thing ? thing.username : thing.name })

/** Writes a refusal to the audit trail; the caller does not wait for it. */
export type NoteRefusal = (actor: Actor, source: AuditSource, activity: ActivityInput) => void

export const unsignedLineOf = <Action extends AuditAction>(
  actor: Actor,
  source: Omit<AuditSource, 'sign'>,
  { action, subject, detail = '', changes = [], clusterId }: ActivityInput<Action>,
): UnsignedActivity => ({
  time: new Date(),
  actor_id: actor?.id ?? null,
  actor: actor?.username ?? null,
  action,
  subject_kind: subject.kind,
  subject_id: subject.id,
  subject: subjectText(subject),
  detail,
  changes: changes.length > 0 ? JSON.stringify(changes) : null,
  address: source.address === null ? null : describeNetwork(source.address),
  request_id: source.requestId,
  session_id: source.sessionId,
  token_id: source.tokenId,
  cluster_id: clusterId ?? (subject.kind === 'cluster' ? subject.id : null),
})

/** Only the line, for a statement that writes it together with the change it describes. */
export const lineOf = <Action extends AuditAction>(
  actor: Actor,
  source: AuditSource,
  activity: ActivityInput<Action>,
): NewActivity => signed(unsignedLineOf(actor, source, activity), source.sign)

/**
 * Writes a line of the audit trail in the transaction of the change it describes. Without an actor, the console itself
 * made the change; a change that no request made has the module's `system` as its source.
 */
export async function record<Action extends AuditAction>(
  tx: Transaction,
  actor: Actor,
  source: AuditSource,
  activity: ActivityInput<Action>,
): Promise<void> {
  await store.insert(tx, lineOf(actor, source, activity))
}

const Changes = z.array(AuditChange)

const asActivity = (row: FoundActivity): Activity => ({
  id: String(row.id),
  time: row.time.getTime(),
  actor: row.actor,
  actorId: row.actor_id,
  action: row.action,
  subject: row.subject,
  subjectKind: row.subject_kind,
  subjectId: row.subject_id,
  detail: row.detail,
  changes: row.changes === null ? [] : Changes.parse(JSON.parse(row.changes)),
  address: row.address,
  requestId: row.request_id,
  sessionId: row.session_id,
  tokenId: row.token_id,
})

/** One page of the matching records, newest first. */
export async function searchActivities(
  db: Database,
  query: Page & ActivityFilter,
): Promise<{ items: Activity[]; next: string | null }> {
  const read = (limit: number, after?: Cursor) => store.search(db.kysely, query, limit, after)
  const { items, next } = await readPage(query, read, ({ time, id }) => ({ at: time, id }), NUMBER_ID)
  return { items: items.map(asActivity), next }
}
