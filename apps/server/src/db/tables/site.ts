import type { Generated } from 'kysely'
import type { Json } from './json-column'

export type BackupRunRow = {
  id: string
  /** The subject of the run. */
  site: string
  kind: 'daily' | 'manual'
  actor_id: string | null
  actor: string | null
  began_at: Date
  ended_at: Date | null
  file: string
  /** The progress while the run is in progress. */
  progress: Json | null
  bytes: number | null
  encrypted: boolean | null
  /** The number of files that could not be read. */
  skipped: number | null
  /** Why it failed, or null. */
  cause: string | null
  cancel_asked: Generated<boolean>
}

export type SiteTables = {
  site_settings: {
    only_row: Generated<boolean>
    vnc_token_authentication: boolean
    vnc_remote_client: boolean
    drift_check: Generated<boolean>
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
  attempts: { key: string; count: number; window_ends_at: Date }
}
