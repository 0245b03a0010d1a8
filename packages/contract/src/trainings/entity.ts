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
/** The duration of a workshop without a given end. */
export const TRAINING_DURATION_MS = 8 * 60 * 60_000

/** One cluster shared by all seats, or one per seat that is created from it. */
export const SeatMode = z.enum(['shared', 'own'])
export type SeatMode = z.infer<typeof SeatMode>

/** Scheduled until it starts, running until it ends or is ended. */
const TrainingState = z.enum(['scheduled', 'running', 'ended'])

/** The state of the seats' accounts and clusters, which are created before the start and removed after the end. */
const Preparation = z.object({
  state: z.enum(['none', 'preparing', 'ready', 'tearing-down', 'torn-down', 'failed']),
  cause: z.nullable(z.string()),
})

const data = {
  /** The shared cluster, or the template of the seats' own clusters. */
  clusterId: z.nullable(Id),
  seatMode: SeatMode,
  courseId: z.nullable(Id),
  appIds: z.array(Id).check(z.maxLength(50, 'Choose at most 50 apps')),
  seats: z.number(SEATS).check(z.int(SEATS), z.minimum(1, SEATS), z.maximum(SEATS_MAX, SEATS)),
  /** The email domains that may take part; an empty list allows everyone with the code. */
  allowedDomains: EmailDomains,
  startTime: Time,
  endTime: Time,
  sessionCode: z.string(),
  /** Whether participants enter an emailed code; null means that the site's rules apply. */
  twoStep: z.nullable(z.boolean()),
}

export const Registration = z.object({
  id: Id,
  fullName: z.string(),
  sessionCode: z.string(),
  participantEmail: z.string(),
  /** `seated`: has logged in at least once. */
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
  /** The provider of its cluster. */
  provider: z.nullable(z.string()),
  owner: z.string(),
  /** Whether the caller may edit and delete it; collaborators only run it. */
  mine: z.boolean(),
  /** Whether the caller runs it. Participants see it too, but only what is meant for them. */
  runs: z.boolean(),
  collaborators: z.array(z.string()),
  data: z.object(data),
  state: TrainingState,
  preparation: Preparation,
  seatsTaken: z.number(),
  registered: z.number(),
  handsRaised: z.number(),
  /** Included for a single workshop, but not in the list. */
  registrations: z.optional(z.array(Registration)),
  createdAt: Time,
})
export type Training = z.infer<typeof Training>

const Name = text(100).check(z.minLength(2, 'Min character length is 2'))
export const TrainingInput = z.object({
  name: Name,
  description: z._default(text(2000), ''),
  /** The cluster's provider applies; the value that is sent is ignored. */
  provider: z.optional(z.nullable(z.string().check(z.maxLength(64)))),
  /** Other instructors who also run it. */
  collaborators: z._default(Usernames, []),
  data: z.prefault(
    z.object({
      clusterId: z._default(data.clusterId, null),
      seatMode: z._default(SeatMode, 'shared'),
      courseId: z._default(data.courseId, null),
      appIds: z._default(data.appIds, []),
      seats: z._default(data.seats, 20),
      allowedDomains: z._default(EmailDomains, []),
      /** Defaults to now. */
      startTime: z.optional(Time),
      /** Defaults to eight hours after the start. */
      endTime: z.optional(Time),
      /** If omitted, the server generates one that cannot be guessed. */
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
  /** The participant's account, which may exist before someone takes the seat. */
  userId: z.nullable(Id),
  username: z.nullable(z.string()),
  fullName: z.nullable(z.string()),
  participantEmail: z.nullable(z.string()),
  registeredAt: z.nullable(Time),
  verifiedAt: z.nullable(Time),
  /** The first login. */
  joinedAt: z.nullable(Time),
  lastSeenAt: z.nullable(Time),
  online: z.boolean(),
  onlineMs: z.number(),
  handRaisedAt: z.nullable(Time),
  /** The participant's own end time if it was extended, otherwise that of the workshop. */
  endTime: Time,
  clusterId: z.nullable(Id),
  clusterState: z.nullable(ClusterState),
  /** The current load average of the participant's own cluster. */
  load: z.nullable(z.number()),
  runningJobs: z.number(),
  /** The running desktop, so that instructors can view it. */
  desktopId: z.nullable(Id),
  apps: z.number(),
})
export type Seat = z.infer<typeof Seat>

export const TrainingMessage = z.object({
  id: Id,
  /** Null means everyone. */
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
  /** When the participant's session ends. */
  endTime: Time,
  clusterId: z.nullable(Id),
  clusterState: z.nullable(ClusterState),
  handRaisedAt: z.nullable(Time),
  /** Messages to this participant or to everyone, oldest first. */
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
  /** Null if no part of it has a known price. */
  price: z.nullable(z.number()),
  perSeat: z.nullable(z.number()),
  /** Hours of machines and disks without a known price, which the prices do not include. */
  unpricedHours: z.number(),
  currency: z.string(),
  /** Seats that have their own clusters. */
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
  /** Problems that require manual cleanup. */
  problems: z.array(z.string()),
})
export type Receipt = z.infer<typeof Receipt>
