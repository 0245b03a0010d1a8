import type { Desktop, DesktopMode } from '@flotilla/contract/desktops/desktops'

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

export type DesktopTables = {
  desktops: DesktopRow
  desktop_viewers: DesktopViewerRow
  desktop_tickets: DesktopTicketRow
}
