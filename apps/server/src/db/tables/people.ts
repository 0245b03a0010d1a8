import type { Generated } from 'kysely'
import type { Role, TokenScope } from '@flotilla/contract/access'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { Json } from './json-column'

/* Accounts, and what they log in with. */

export type UserRow = {
  id: string
  username: string
  first_name: string
  last_name: string
  email: string
  password_hash: string | null
  role: Role[]
  verified: boolean
  registered: Generated<boolean>
  approved_at: Date | null
  approved_by: string | null
  participant_email: string | null
  session_code: string | null
  end_time: Date | null
  providers: ProviderId[] | null
  /** The user's account on attached clusters; null if it is the username. */
  unix_account: string | null
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
  /** When the password was last entered in this session. */
  confirmed_at: Date | null
}
export type AccessTokenRow = {
  id: string
  user_id: string
  name: string
  scope: TokenScope
  hash: string
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
  last_used_address: string | null
}
export type OneTimeSecretRow = {
  id: string
  user_id: string
  purpose: 'reset' | 'verify' | 'invitation'
  hash: string
  attempts: Generated<number>
  expires_at: Date
}
export type LdapServerRow = {
  id: string
  name: string
  active: boolean
  settings: Json
  sealed_password: string | null
  created_at: Date
}
export type LdapAccountRow = {
  user_id: string
  server_id: string | null
  login: string
  dn: string
  dn_key: string
  entry_id: string | null
  groups: string[]
  suspended_at: Date | null
  end_time_before: Date | null
}

export type PeopleTables = {
  users: UserRow
  sessions: SessionRow
  access_tokens: AccessTokenRow
  one_time_secrets: OneTimeSecretRow
  login_networks: { user_id: string; network: string; last_login_at: Date }
  user_ssh_keys: { user_id: string; public_key: string; sealed_private_key: string; created_at: Date }
  ldap_servers: LdapServerRow
  ldap_accounts: LdapAccountRow
}
