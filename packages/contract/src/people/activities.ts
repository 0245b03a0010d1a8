import * as z from 'zod/mini'
import { get, post } from '../endpoint'
import { Done, Id, Page, Time } from '../lists'
import { allAuditActions, AuditChange } from './audit'

/** Takes the place of a username for someone who is not logged in: no username contains a space. */
export const VISITOR = 'a visitor'

/**
 * An entry of the audit trail. Entries from before signing was added have no subject kind, changes, address, session or
 * token.
 */
export const Activity = z.object({
  id: Id,
  time: Time,
  /** The username, which outlives the account; VISITOR for a failed login; null for the system itself. */
  actor: z.nullable(z.string()),
  actorId: z.nullable(z.string()),
  action: z.string(),
  /** What the action applied to, such as `user ada`. */
  subject: z.string(),
  subjectKind: z.nullable(z.string()),
  subjectId: z.nullable(z.string()),
  detail: z.string(),
  changes: z.array(AuditChange),
  /** The network that the request came from. */
  address: z.nullable(z.string()),
  requestId: z.nullable(z.string()),
  /** The session or the access token that was used. */
  sessionId: z.nullable(z.string()),
  tokenId: z.nullable(z.string()),
})
export type Activity = z.infer<typeof Activity>

const Text = z.string().check(z.trim(), z.minLength(1), z.maxLength(200))
const When = z.coerce.number().check(z.int(), z.minimum(0), z.maximum(8.64e15))
/** Entries must match every given filter. */
export const ActivityFilter = z.object({
  /** The actor's username. */
  person: z.optional(Text),
  /** The subject's name, with or without its kind (`ada` or `user ada`). */
  subject: z.optional(Text),
  /** The subject's id, whatever its name was at the time. */
  subjectId: z.optional(Id),
  action: z.optional(z.enum(allAuditActions)),
  /** From this time on, in milliseconds. */
  from: z.optional(When),
  /** Before this time, in milliseconds. */
  to: z.optional(When),
})
export type ActivityFilter = z.infer<typeof ActivityFilter>

/** What the last verification of the audit trail found. */
export const AuditVerification = z.object({
  /** Null before the first verification. */
  checkedAt: z.nullable(Time),
  records: z.number(),
  problem: z.nullable(
    z.object({
      /** The first broken record; null if it cannot be identified. */
      record: z.nullable(Id),
      text: z.string(),
    }),
  ),
})
export type AuditVerification = z.infer<typeof AuditVerification>

export const activities = {
  list: get('/api/activities', {
    summary: 'Search the audit trail, newest first',
    access: 'admin',
    query: z.extend(ActivityFilter, Page.shape),
    reply: z.array(Activity),
  }),
  exportCsv: get('/api/activities/export.csv', {
    summary: 'Download the audit trail, or the part of it that matches, as CSV',
    access: 'admin',
    query: ActivityFilter,
    reply: { file: 'text/csv; charset=utf-8' },
  }),
  exportJson: get('/api/activities/export.json', {
    summary: 'Download the audit trail, or the part of it that matches, as JSON',
    access: 'admin',
    query: ActivityFilter,
    reply: { file: 'application/json; charset=utf-8' },
  }),
  verification: get('/api/activities/verification', {
    summary: 'Get what the last verification of the audit trail found',
    access: 'admin',
    reply: AuditVerification,
  }),
  verify: post('/api/activities/verification', {
    summary: 'Verify the audit trail now, in the background',
    access: 'admin',
    reply: Done,
  }),
}
