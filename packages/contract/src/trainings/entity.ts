import * as z from 'zod/mini'
import { text } from '../clusters/inputs'
import { ClusterState } from '../clusters/states'
import { EmailDomains } from '../email'
import { Id, Time } from '../lists'
import { Usernames } from '../stacks/entity'
import { normalizeSessionCode, SESSION_CODE_MAX, SESSION_CODE_MIN } from './session-code'

export const SEATS_MAX = 1000
const SEATS = `Enter a number from 1 to ${SEATS_MAX}`
const CODE = `Use ${SESSION_CODE_MIN} to ${SESSION_CODE_MAX} letters and numbers, or leave it empty`
export const MESSAGE_MAX = 2000
/** How long a workshop takes when no end is given. */
export const TRAINING_DURATION_MS = 8 * 60 * 60_000

/** One cluster shared by all seats, or one per seat made from it. */
export const SeatMode = z.enum(['shared', 'own'])
export type SeatMode = z.infer<typeof SeatMode>

/** Scheduled until it starts, running until it ends or is ended. */
const TrainingState = z.enum(['scheduled', 'running', 'ended'])

/** What became of accounts and clusters of the seats: made before the start, removed after the end. */
const Preparation = z.object({
  state: z.enum(['none', 'preparing', 'ready', 'tearing-down', 'torn-down', 'failed']),
  cause: z.nullable(z.string()),
})

const data = {
  /** The shared cluster, or the template of the seats' own ones. */
  clusterId: z.nullable(Id),
  seatMode: SeatMode,
  courseId: z.nullable(Id),
  appIds: z.array(Id).check(z.maxLength(50, 'Choose at most 50 apps')),
  seats: z.number(SEATS).check(z.int(SEATS), z.minimum(1, SEATS), z.maximum(SEATS_MAX, SEATS)),
  /** Who may take part; an empty list means everyone with the code. */
  allowedDomains: EmailDomains,
  startTime: Time,
  endTime: Time,
  sessionCode: z.string(),
  /** Whether participants enter an emailed code; null follows the rules of the site. */
  twoStep: z.nullable(z.boolean()),
}

export const Registration = z.object({
  id: Id,
  fullName: z.string(),
  sessionCode: z.string(),
  participantEmail: z.string(),
  /** Seated: has logged in at least once. */
  state: z.enum(['registered', 'verified', 'seated']),
  registeredAt: Time,
  verifiedAt: z.nullable(Time),
  lastSeenAt: z.nullable(Time),
  clusterId: z.nullable(Id),
})
export type Registration = z.infer<typeof Registration>

export const Training = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  /** Of its cluster. */
  provider: z.nullable(z.string()),
  owner: z.string(),
  /** Whether this person may edit and delete it; collaborators only run it. */
  mine: z.boolean(),
  /** Whether this person runs it. Others see it because they have a seat in it, and only what is for participants. */
  runs: z.boolean(),
  collaborators: z.array(z.string()),
  data: z.object(data),
  state: TrainingState,
  preparation: Preparation,
  seatsTaken: z.number(),
  registered: z.number(),
  handsRaised: z.number(),
  /** Present for one workshop, and not in the list. */
  registrations: z.optional(z.array(Registration)),
  createdAt: Time,
})
export type Training = z.infer<typeof Training>

const Name = text(100).check(z.minLength(2, 'Min character length is 2'))
export const TrainingInput = z.object({
  name: Name,
  description: z._default(text(2000), ''),
  /** That of the cluster; what is sent is ignored. */
  provider: z.optional(z.nullable(z.string().check(z.maxLength(64)))),
  /** Other instructors who run it too. */
  collaborators: z._default(Usernames, []),
  data: z.prefault(
    z.object({
      clusterId: z._default(data.clusterId, null),
      seatMode: z._default(SeatMode, 'shared'),
      courseId: z._default(data.courseId, null),
      appIds: z._default(data.appIds, []),
      seats: z._default(data.seats, 20),
      allowedDomains: z._default(EmailDomains, []),
      /** Without it: now. */
      startTime: z.optional(Time),
      /** Without it: eight hours after the start. */
      endTime: z.optional(Time),
      /** Without it, the server makes one that cannot be guessed. */
      sessionCode: z.optional(
        z.string().check(
          z.maxLength(64, CODE),
          z.refine(
            (code) =>
              code.trim() === '' ||
              (normalizeSessionCode(code).length >= SESSION_CODE_MIN &&
                normalizeSessionCode(code).length <= SESSION_CODE_MAX),
            CODE,
          ),
        ),
      ),
      twoStep: z._default(data.twoStep, null),
    }),
    {},
  ),
})
export type TrainingInput = z.infer<typeof TrainingInput>
export const TrainingUpdate = z.extend(TrainingInput, { id: z.optional(Id) })

export const Seat = z.object({
  number: z.number(),
  /** Of the participant's account, which may exist before someone takes the seat. */
  userId: z.nullable(Id),
  username: z.nullable(z.string()),
  fullName: z.nullable(z.string()),
  participantEmail: z.nullable(z.string()),
  registeredAt: z.nullable(Time),
  verifiedAt: z.nullable(Time),
  /** First login. */
  joinedAt: z.nullable(Time),
  lastSeenAt: z.nullable(Time),
  online: z.boolean(),
  onlineMs: z.number(),
  handRaisedAt: z.nullable(Time),
  /** Their own end, when it was extended for them alone. */
  endTime: Time,
  clusterId: z.nullable(Id),
  clusterState: z.nullable(ClusterState),
  /** Of their own cluster: the load average now. */
  load: z.nullable(z.number()),
  runningJobs: z.number(),
  /** The desktop that is running, for those who watch it. */
  desktopId: z.nullable(Id),
  apps: z.number(),
})
export type Seat = z.infer<typeof Seat>

export const TrainingMessage = z.object({
  id: Id,
  /** Null: to everyone. */
  participantEmail: z.nullable(z.string()),
  sender: z.string(),
  text: z.string(),
  sentAt: Time,
})
export type TrainingMessage = z.infer<typeof TrainingMessage>

/** What a participant sees of their workshop. */
export const OwnSeat = z.object({
  training: z.object({
    id: Id,
    name: z.string(),
    description: z.string(),
    instructor: z.string(),
    startTime: Time,
    courseId: z.nullable(Id),
    appIds: z.array(Id),
  }),
  number: z.number(),
  fullName: z.string(),
  /** When this person's session ends. */
  endTime: Time,
  clusterId: z.nullable(Id),
  clusterState: z.nullable(ClusterState),
  handRaisedAt: z.nullable(Time),
  /** To this person or to everyone, oldest first. */
  messages: z.array(TrainingMessage),
})
export type OwnSeat = z.infer<typeof OwnSeat>

export const PreflightStep = z.object({
  step: z.string(),
  state: z.enum(['ok', 'warning', 'failed', 'not-checked']),
  message: z.string(),
})
export type PreflightStep = z.infer<typeof PreflightStep>

export const TrainingCost = z.object({
  from: Time,
  to: Time,
  /** Null when no part of it has a known price. */
  price: z.nullable(z.number()),
  perSeat: z.nullable(z.number()),
  /** Hours of machines and disks whose price is unknown: the prices are without them. */
  unpricedHours: z.number(),
  currency: z.string(),
  /** Of seats with clusters of their own. */
  seats: z.array(z.object({ number: z.number(), price: z.nullable(z.number()) })),
})
export type TrainingCost = z.infer<typeof TrainingCost>

/** What was torn down after the end, and what it cost. */
export const Receipt = z.object({
  endedAt: Time,
  tornDownAt: Time,
  participants: z.number(),
  accountsRemoved: z.number(),
  desktopsEnded: z.number(),
  clusters: z.array(
    z.object({ id: Id, name: z.string(), outcome: z.enum(['destroyed', 'failed']), detail: z.string() }),
  ),
  cost: TrainingCost,
  /** What has to be cleaned up manually. */
  problems: z.array(z.string()),
})
export type Receipt = z.infer<typeof Receipt>
