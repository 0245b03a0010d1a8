import type { GeneratedAlways, Insertable, Selectable } from 'kysely'
import type { Json } from './json-column'

type ActivityRow = {
  id: GeneratedAlways<number>
  time: Date
  actor_id: string | null
  actor: string | null
  action: string
  subject_kind: string | null
  subject_id: string | null
  /** The name that the subject had at the time. */
  subject: string
  detail: string
  /** JSON text, which is signed verbatim. */
  changes: string | null
  address: string | null
  request_id: string | null
  session_id: string | null
  token_id: string | null
  cluster_id: string | null
  /** A random id, and the signature of it and everything above; null in records from before there were signatures. */
  entry: string | null
  signature: string | null
}

export type FoundActivity = Selectable<ActivityRow>

export type NewActivity = Insertable<ActivityRow>

/** All columns except the id, which the table generates. */
export const activityColumns = [
  'time',
  'actor_id',
  'actor',
  'action',
  'subject_kind',
  'subject_id',
  'subject',
  'detail',
  'changes',
  'address',
  'request_id',
  'session_id',
  'token_id',
  'cluster_id',
  'entry',
  'signature',
] as const satisfies (keyof ActivityRow)[]

type AuditChainRow = { position: number; activity_id: number; hash: string }

type AuditStateRow = {
  sealed_key: string | null
  unsigned_until: number
  position: number
  hash: string
  signature: string | null
  checked_at: Date | null
  checked_records: number
  problem: Json | null
}

export type ActivityTables = {
  activities: ActivityRow
  audit_chain: AuditChainRow
  audit_state: AuditStateRow
}
