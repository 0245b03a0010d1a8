import type { Desktop, DesktopMode } from '@flotilla/contract/desktops/desktops'
import type { ColumnType, Generated, GeneratedAlways, Insertable, Selectable } from 'kysely'
import type { LogLevel } from '@flotilla/contract/clusters/entity'
import type { ClusterState } from '@flotilla/contract/clusters/states'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import type { Manager } from '@flotilla/contract/clusters/inputs'
import type { ImageRole, StackFileField } from '@flotilla/contract/stacks/entity'
import type { StackState } from '@flotilla/contract/stacks/states'
import type { AppRow, AppSessionRow, AppTicketRow } from './app-tables'
import type { CourseTables } from './course-tables'
import type { Json } from './json-column'
import type {
  AccessTokenRow,
  LdapAccountRow,
  LdapServerRow,
  OneTimeSecretRow,
  SessionRow,
  UserRow,
} from './people-tables'
import type {
  TrainingMessageRow,
  TrainingRegistrationRow,
  TrainingRow,
  TrainingRunRow,
  TrainingSeatRow,
} from './training-tables'

type ActivityRow = {
  id: GeneratedAlways<number>
  time: Date
  actor_id: string | null
  actor: string | null
  action: string
  subject_kind: string | null
  subject_id: string | null
  /** With the name that it had then. */
  subject: string
  detail: string
  /** As JSON text, which is signed as it is. */
  changes: string | null
  address: string | null
  request_id: string | null
  session_id: string | null
  token_id: string | null
  cluster_id: string | null
  /** A random id, and the signature of everything above and of it; null in records from before there were signatures. */
  entry: string | null
  signature: string | null
}
export type FoundActivity = Selectable<ActivityRow>
export type NewActivity = Insertable<ActivityRow>
/** All but its number, which the table gives. */
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

export type ClusterRow = {
  id: string
  owner_id: string
  name: string
  description: string
  provider: string
  credential_id: string | null
  for_everyone: Generated<boolean>
  state: ClusterState
  state_since: Date
  cause: string | null
  data: Json
  public_key: string | null
  sealed_private_key: string | null
  sealed_given_key: string | null
  host_key: string | null
  paths_confirmed: Generated<boolean>
  private_address_allowed: Generated<boolean>
  polled_at: Date | null
  poll_error: string | null
  poll_error_since: Date | null
  queue_counts: Json
  node_counts: Json
  largest_node: Json
  node_totals: Json
  stack_id: string | null
  info: Json
  up_nodes: Json
  deployed: Json | null
  plan: Json | null
  sealed_secrets: string | null
  engine_position: Generated<number>
  engine_died: Generated<boolean>
  burst_paused: string | null
  burst_reset_at: Date | null
  fast_restore: Json
  kept_ids: Json
  sealed_activation_key: string | null
  name_round: Generated<number>
  created_at: Date
}
/** As it is read: what is JSON is not parsed yet. */
export type SelectedCluster = Selectable<ClusterRow>
type ClusterRunRow = {
  id: string
  cluster_id: string
  action: string
  actor_id: string | null
  actor: string | null
  began_at: Date
  ended_at: Date | null
  cause: string | null
  input: Json
  from_state: ClusterState | null
  cancel_asked: Generated<boolean>
}
export type JobRow = {
  id: string
  owner_id: string
  name: string
  description: string
  data: Json
  created_at: Date
  updated_at: Date
}
export type SubmissionRow = {
  id: string
  job_id: string
  cluster_id: string | null
  cluster_name: string
  user_id: string | null
  submitted_by: string
  run_as_admin: boolean
  account: string
  request_key: string | null
  native_id: string | null
  state: Submission['state']
  reason: string | null
  submitted_at: Date
  started_at: Date | null
  ended_at: Date | null
  exit_code: number | null
  node_list: string | null
  usage: Json
  data: Json
  folder: string
  job_name: string
}

export type BackupRunRow = {
  id: string
  kind: 'daily' | 'manual'
  actor_id: string | null
  actor: string | null
  began_at: Date
  ended_at: Date | null
  file: string
  /** While it is in progress: how far it is. */
  progress: Json | null
  bytes: number | null
  encrypted: boolean | null
  /** Files that could not be read. */
  skipped: number | null
  /** Why it failed, or null. */
  cause: string | null
}

export type CredentialRow = {
  id: string
  owner_id: string
  name: string
  description: string
  provider: ProviderId
  sealed_data: string
  last_test: ColumnType<unknown, string | null | undefined, string | null>
  last_used_at: Date | null
  created_at: Date
  updated_at: Date
}

export type StackRow = {
  id: string
  owner_id: string
  name: string
  description: string
  provider: ProviderId
  builder: string
  credential_id: string
  state: StackState
  state_since: Date
  cause: string | null
  data: Json
  rhel_organization_id: string
  sealed_activation_key: string | null
  open: ColumnType<unknown, string | null | undefined, string | null>
  version: Generated<number>
  built_version: number | null
  created_at: Date
  updated_at: Date
}
export type StackRunRow = {
  id: string
  stack_id: string
  actor_id: string | null
  actor: string | null
  began_at: Date
  ended_at: Date | null
  cause: string | null
  version: number
  cancel_asked: Generated<boolean>
  finalized: Generated<boolean>
  engine_position: Generated<number>
}

export type DesktopRow = {
  id: string
  cluster_id: string
  user_id: string | null
  state: Desktop['state']
  sealed_password: string
  job: string | null
  account: string | null
  socket: string | null
  created_at: Date
  last_activity_at: Date
  last_seen_at: Date
}
export type DesktopViewerRow = {
  id: string
  desktop_id: string
  user_id: string
  mode: DesktopMode
  since: Date
  seen_at: Date
}
export type DesktopTicketRow = {
  hash: string
  desktop_id: string
  user_id: string
  session_id: string
  mode: DesktopMode
  expires_at: Date
}

type SyncedSizesRow = {
  provider: ProviderId
  region: string
  source: string
  synced_at: Date
  sizes: Json
  prices: Json
  beside: Json
}

type LogRow = {
  seq: GeneratedAlways<number>
  type: string
  time: Date
  level: Generated<LogLevel>
  text: string
}

export type Tables = CourseTables & {
  users: UserRow
  sessions: SessionRow
  access_tokens: AccessTokenRow
  one_time_secrets: OneTimeSecretRow
  login_networks: { user_id: string; network: string; last_login_at: Date }
  attempts: { key: string; count: number; window_ends_at: Date }
  user_ssh_keys: { user_id: string; public_key: string; sealed_private_key: string; created_at: Date }
  activities: ActivityRow
  audit_chain: AuditChainRow
  audit_state: AuditStateRow
  clusters: ClusterRow
  desktops: DesktopRow
  desktop_viewers: DesktopViewerRow
  desktop_tickets: DesktopTicketRow
  cluster_collaborators: { cluster_id: string; user_id: string }
  cluster_ldap_collaborators: {
    cluster_id: string
    server_id: string
    dn_key: string
    dn: string
    kind: 'person' | 'group'
    name: string
  }
  cluster_acceptances: { cluster_id: string; user_id: string; connection: string; accepted_at: Date }
  cluster_nodes: { cluster_id: string; name: string; data: Json }
  cluster_queue: { cluster_id: string; job_id: string; position: number; data: Json }
  cluster_loads: { cluster_id: string; time: Date; cpus: number; load_avg: number }
  cluster_runs: ClusterRunRow
  cluster_logs: LogRow & { cluster_id: string }
  local_accounts: { uid: GeneratedAlways<number>; user_id: string | null }
  jobs: JobRow
  submissions: SubmissionRow
  apps: AppRow
  app_sessions: AppSessionRow
  app_session_collaborators: { session_id: string; user_id: string }
  app_tickets: AppTicketRow
  credentials: CredentialRow
  credential_collaborators: { credential_id: string; user_id: string }
  stacks: StackRow
  stack_collaborators: { stack_id: string; user_id: string }
  stack_files: { stack_id: string; field: StackFileField; name: string; bytes: Buffer }
  stack_runs: StackRunRow
  stack_logs: LogRow & { stack_id: string }
  stack_images: {
    stack_id: string
    role: ImageRole
    image_id: string
    region: string
    manager: Manager
    current: boolean
    built_at: Date
  }
  cluster_accounts: {
    cluster_id: string
    name: string
    user_id: string | null
    uid: number
    there: Generated<boolean>
    makings: Generated<number>
    removals: Generated<number>
  }
  credential_regions: { credential_id: string; region: string }
  cluster_vpn: {
    cluster_id: string
    sealed: string
    last_serial: number
    installed: string | null
    networks: ColumnType<unknown, string | null | undefined, string | null>
  }
  cluster_vpn_clients: {
    cluster_id: string
    serial: number
    user_id: string | null
    sealed: string
    made_at: Date
    expires_at: Date
    revoked_at: Date | null
  }
  leftovers: {
    key: string
    provider: ProviderId
    credential_id: string
    region: string
    cluster_id: string | null
    resource: Json
    found_at: Date
  }
  leftover_searches: { credential_id: string; searched_at: Date; failure: string | null }
  ldap_servers: LdapServerRow
  ldap_accounts: LdapAccountRow
  site_settings: {
    only_row: Generated<boolean>
    vnc_token_authentication: boolean
    vnc_remote_client: boolean
    master_key_mark: string | null
    price_per_core_hour: number | null
    price_per_gpu_hour: number | null
    prices_set_at: Date | null
    torque_source: Json | null
    announcement: Json | null
    security: Json
    sealed_token_key: string | null
    backup: Json
    config: Json
    intro_html: string | null
    mail: Json | null
    sealed_mail_password: string | null
    license: Json | null
  }
  site_logo: { only_row: Generated<boolean>; name: string; type: string; bytes: Buffer }
  two_step_settings: {
    id: string
    name: string
    enabled: boolean
    email_domains: string[]
    created_at: Date
    updated_at: Date
  }
  backup_runs: BackupRunRow
  synced_sizes: SyncedSizesRow
  usage_machines: {
    cluster_id: string
    kind: 'machine' | 'disk' | 'other'
    name: string
    state: 'busy' | 'idle' | 'stopped'
    from_at: Date
    to_at: Date | null
    per_hour: number | null
  }
  usage_rates: {
    cluster_id: string
    size: string
    from_at: Date
    per_core_hour: number | null
    per_gpu_hour: number | null
  }
  usage_feeds: {
    cluster_id: string
    name: string
    provider: string
    owner_id: string
    seen_at: Date
    harvested_to: Date | null
    harvest_error: string | null
  }
  trainings: TrainingRow
  training_collaborators: { training_id: string; user_id: string }
  training_registrations: TrainingRegistrationRow
  training_seats: TrainingSeatRow
  training_messages: TrainingMessageRow
  training_runs: TrainingRunRow
  training_logs: LogRow & { training_id: string }
  usage_gaps: { cluster_id: string; from_at: Date; to_at: Date; reason: string }
}
