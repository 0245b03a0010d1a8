import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { Role } from '@flotilla/contract/access'
import type { ProviderId } from '@flotilla/contract/config'

/** Read as parsed JSON, written as text. */
type Json = ColumnType<unknown, string | undefined, string>

export type UserRow = {
  id: string
  username: string
  first_name: string
  last_name: string
  email: string
  password_hash: string | null
  role: Role[]
  verified: boolean
  participant_email: string | null
  session_code: string | null
  end_time: Date | null
  providers: ProviderId[] | null
  auth_type: Generated<'local' | 'ldap'>
  preferences: Json
  created_at: Date
  last_login_at: Date | null
}
export type SessionRow = {
  id: string
  user_id: string
  created_at: Date
  last_active_at: Date
  expires_at: Date
  address: string
  browser: string
}
export type OneTimeSecretRow = {
  id: string
  user_id: string
  purpose: 'reset' | 'verify' | 'invitation'
  hash: string
  attempts: Generated<number>
  expires_at: Date
}
export type ActivityRow = {
  id: GeneratedAlways<number>
  time: Date
  actor_id: string | null
  actor: string | null
  action: string
  subject: string
  detail: string
  request_id: string | null
}

export type Tables = {
  users: UserRow
  sessions: SessionRow
  one_time_secrets: OneTimeSecretRow
  attempts: { key: string; count: number; window_ends_at: Date }
  user_ssh_keys: { user_id: string; public_key: string; sealed_private_key: string; created_at: Date }
  activities: ActivityRow
  ldap_servers: { id: string; name: string; active: boolean; settings: Json; created_at: Date }
  site_settings: {
    only_row: Generated<boolean>
    vnc_token_authentication: boolean
    vnc_remote_client: boolean
  }
}
