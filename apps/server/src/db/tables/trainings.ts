import type { Generated } from 'kysely'
import type { SeatMode, Training } from '@flotilla/contract/trainings/entity'
import type { Json } from './json-column'
import type { LogRow } from './log'

/* Workshops. */

export type TrainingRow = {
  id: string
  owner_id: string
  name: string
  description: string
  cluster_id: string | null
  seat_mode: SeatMode
  course_id: string | null
  app_ids: string[]
  allowed_domains: string[]
  start_time: Date
  end_time: Date
  session_code: string
  code_hash: string
  two_step: boolean | null
  preparation: Generated<Training['preparation']['state']>
  preparation_cause: string | null
  ended_at: Date | null
  receipt: Json | null
  created_at: Date
  updated_at: Date
}
export type TrainingRegistrationRow = {
  id: string
  training_id: string
  email: string
  full_name: string
  registered_at: Date
  verified_at: Date | null
  code_hash: string | null
  code_expires_at: Date | null
  code_attempts: Generated<number>
  login_until: Date | null
  login_from: string | null
}
export type TrainingSeatRow = {
  training_id: string
  number: number
  registration_id: string | null
  user_id: string | null
  cluster_id: string | null
  own_cluster: Generated<boolean>
  joined_at: Date | null
  last_seen_at: Date | null
  left_at: Date | null
  online_ms: Generated<number>
  hand_raised_at: Date | null
}
export type TrainingMessageRow = {
  id: string
  training_id: string
  email: string | null
  sender: string
  text: string
  sent_at: Date
}
type TrainingRunRow = {
  id: string
  training_id: string
  action: 'prepare' | 'teardown'
  actor_id: string | null
  actor: string | null
  began_at: Date
  ended_at: Date | null
  cause: string | null
  cancel_asked: Generated<boolean>
}

export type TrainingTables = {
  trainings: TrainingRow
  training_collaborators: { training_id: string; user_id: string }
  training_registrations: TrainingRegistrationRow
  training_seats: TrainingSeatRow
  training_messages: TrainingMessageRow
  training_runs: TrainingRunRow
  training_logs: LogRow & { training_id: string }
}
