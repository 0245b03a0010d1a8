import type { Role } from '@flotilla/contract/access'
import type { Json } from './json-column'

export type AppRow = {
  id: string
  owner_id: string
  name: string
  data: Json
  created_at: Date
  updated_at: Date
}
export type AppSessionRow = {
  id: string
  job_id: string
  owner_id: string
  app_id: string
  app_name: string
  icon: string
  ready: Json
  allowed_roles: Role[]
  limit_s: number
  created_at: Date
  ready_at: Date | null
  closed_at: Date | null
}
export type AppTicketRow = {
  hash: string
  session_id: string
  user_id: string
  login_id: string
  origin: string
  expires_at: Date
}

export type AppTables = {
  apps: AppRow
  app_sessions: AppSessionRow
  app_session_collaborators: { session_id: string; user_id: string }
  app_tickets: AppTicketRow
}
