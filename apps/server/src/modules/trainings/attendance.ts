import type { Database } from '../../db/database'
import type { BindSocket, SocketConnection } from '../../http/socket-bind'
import { perConnection } from '../../http/socket-bind'
import { ATTENDANCE_LATE_MS, attendTraining } from '@flotilla/contract/trainings/trainings'
import { notifyInstructors } from './notify'
import * as registrations from './registrations/store'
import * as seats from './seats/store'
import * as store from './store'

/** Text that a spreadsheet would evaluate as a formula is prefixed with an apostrophe. */
const cell = (value: string | number): string => {
  const text = String(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
const timeText = (date: Date | null): string => date?.toISOString() ?? ''

/** The attendance list as CSV. */
export async function attendanceCsv(db: Database, trainingId: string): Promise<string> {
  const rows = await registrations.list(db.kysely, trainingId)
  const lines = rows
    .toReversed()
    .map((row) => [
      row.number ?? '',
      row.full_name,
      row.email,
      timeText(row.registered_at),
      timeText(row.verified_at),
      timeText(row.joined_at),
      timeText(row.last_seen_at),
      row.online_ms === null ? 0 : Math.round(row.online_ms / 60_000),
    ])
  const header = [
    'Seat',
    'Full name',
    'Email',
    'Registered',
    'Verified',
    'Joined',
    'Last seen',
    'Minutes online',
  ]
  return [header, ...lines].map((line) => `${line.map(cell).join(',')}\r\n`).join('')
}

/**
 * Tracks who is at their seat: participants' browsers send a heartbeat every 20 seconds, and closed connections end
 * their attendance.
 */
export function bindAttendance(bindSocket: BindSocket, db: Database, now: () => number): void {
  /** The number of open connections by user: several tabs count as one person. */
  const tabs = new Map<string, number>()
  const notify = async (trainingId: string): Promise<void> => {
    const training = await store.findAny(db.kysely, trainingId)
    if (training) await notifyInstructors(db.kysely, training)
  }
  const close = async (userId: string): Promise<void> => {
    const left = (tabs.get(userId) ?? 1) - 1
    if (left > 0) return void tabs.set(userId, left)
    tabs.delete(userId)
    const seat = await seats.leave(db.kysely, userId, new Date(now()))
    if (seat) await notify(seat.training_id)
  }
  const opened = perConnection((connection: SocketConnection) => {
    const { id } = connection.me()
    tabs.set(id, (tabs.get(id) ?? 0) + 1)
    // If the database is unavailable, the seat counts as away once its heartbeats are late.
    connection.onClose(() => void close(id).catch(() => {}))
    return id
  })
  bindSocket(attendTraining, async (_input, connection) => {
    const userId = opened(connection)
    const seat = await seats.attend(db.kysely, userId, new Date(now()), ATTENDANCE_LATE_MS)
    if (seat?.was_away) await notify(seat.training_id)
    return {}
  })
}
