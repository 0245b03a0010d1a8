import { isAdmin } from '@flotilla/contract/access'
import type { Registration, Seat, Training, TrainingMessage } from '@flotilla/contract/trainings/entity'
import { ATTENDANCE_LATE_MS } from '@flotilla/contract/trainings/trainings'
import type { TrainingMessageRow } from '../../db/tables/trainings'
import type { Caller } from '../../http/caller'
import { belongsTo, isMine } from '../sharing/sharing'
import type { FoundRegistration } from './registrations/store'
import type { FoundSeat } from './seats/store'
import type { FoundTraining } from './store'

type Times = Pick<FoundTraining, 'start_time' | 'end_time' | 'ended_at'>
export function stateOf({ start_time, end_time, ended_at }: Times, now: number): Training['state'] {
  if (ended_at !== null || end_time.getTime() <= now) return 'ended'
  return start_time.getTime() > now ? 'scheduled' : 'running'
}

const time = (date: Date | null | undefined): number | null => date?.getTime() ?? null

type Viewer = Pick<Caller, 'id' | 'role'>

/** Whether this user runs the workshop. A seat in it does not count, whatever roles its holder has. */
export const runs = (me: Viewer, row: Parameters<typeof belongsTo>[0]): boolean =>
  isAdmin(me) || belongsTo(row, me.id)

export const asTraining = (row: FoundTraining, me: Viewer, now: number): Training => ({
  id: row.id,
  name: row.name,
  description: row.description,
  provider: row.provider,
  owner: row.owner,
  mine: isMine(me, row),
  runs: runs(me, row),
  collaborators: runs(me, row) ? row.collaborators.map(({ username }) => username) : [],
  data: {
    clusterId: row.cluster_id,
    seatMode: row.seat_mode,
    courseId: row.course_id,
    appIds: row.app_ids,
    seats: row.seats,
    allowedDomains: row.allowed_domains,
    startTime: row.start_time.getTime(),
    endTime: row.end_time.getTime(),
    sessionCode: runs(me, row) ? row.session_code : '',
    twoStep: row.two_step,
  },
  state: stateOf(row, now),
  preparation: { state: row.preparation, cause: runs(me, row) ? row.preparation_cause : null },
  seatsTaken: row.seats_taken,
  registered: row.registered ?? 0,
  handsRaised: row.hands_raised,
  createdAt: row.created_at.getTime(),
})

export const asRegistration = (row: FoundRegistration, sessionCode: string): Registration => ({
  id: row.id,
  fullName: row.full_name,
  sessionCode,
  participantEmail: row.email,
  state: row.joined_at ? 'seated' : row.verified_at ? 'verified' : 'registered',
  registeredAt: row.registered_at.getTime(),
  verifiedAt: time(row.verified_at),
  lastSeenAt: time(row.last_seen_at ?? row.joined_at),
  clusterId: row.cluster_id,
})

type Programs = { id: string; userId: string }[]
/** The desktops and apps that are running. */
export type Running = { desktops: Programs; apps: Programs }

const isOnline = (row: FoundSeat, now: number): boolean =>
  row.left_at === null && row.last_seen_at !== null && now - row.last_seen_at.getTime() < ATTENDANCE_LATE_MS

export function asSeat(row: FoundSeat, training: FoundTraining, running: Running, now: number): Seat {
  const own = (all: Programs) => all.filter(({ userId }) => userId === row.user_id)
  return {
    number: row.number,
    userId: row.user_id,
    username: row.username,
    fullName: row.full_name,
    participantEmail: row.email,
    registeredAt: time(row.registered_at),
    verifiedAt: time(row.verified_at),
    joinedAt: time(row.joined_at),
    lastSeenAt: time(row.last_seen_at ?? row.joined_at),
    online: isOnline(row, now),
    onlineMs: row.online_ms,
    handRaisedAt: time(row.hand_raised_at),
    endTime:
      time(row.registration_id === null ? training.end_time : row.end_time) ?? training.end_time.getTime(),
    clusterId: row.cluster_id,
    clusterState: row.cluster_state,
    load: training.seat_mode === 'own' ? row.load : null,
    runningJobs: row.running_jobs,
    desktopId: own(running.desktops)[0]?.id ?? null,
    apps: own(running.apps).length,
  }
}

export const asMessage = (row: TrainingMessageRow): TrainingMessage => ({
  id: row.id,
  participantEmail: row.email,
  sender: row.sender,
  text: row.text,
  sentAt: row.sent_at.getTime(),
})
