import { twoStepRuleFor, type TwoStepSettings } from '@flotilla/contract/site/two-step'
import type { LoggedIn } from '@flotilla/contract/people/auth'
import type { Database, Transaction } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { AuditSource } from '../../http/caller'
import type { BindSocket } from '../../http/socket-bind'
import type { QueueMail } from '../../mail/tasks'
import type { Queue } from '../../queue/queue'
import type { RuntimeConfigFiles } from '../../runtime/runtime'
import type { Secrets } from '../../secrets/secrets'
import type { SeatApps } from '../apps/open'
import type { Attempts } from '../attempts/attempts'
import type { ClustersApi } from '../clusters/open'
import type { UnknownApps } from '../courses/courses'
import type { CoursesApi } from '../courses/open'
import type { Credentials } from '../credentials/credentials'
import type { DesktopsApi } from '../desktops/open'
import type { Sessions } from '../sessions/sessions'
import type { Usage } from '../usage/usage'
import type { Users } from '../users/users'
import { bindAttendance } from './attendance'
import { makeClock } from './clock'
import { makeControl } from './control'
import { makeEndPrograms, type SeatPrograms } from './programs'
import { makeRemoval } from './preparation/removal'
import { makeRunActions } from './preparation/run-actions'
import { costOf } from './cost'
import { courseSeatOf, courseUses, runsWorkshop } from './participants/course-seats'
import { makeOwnSeats } from './participants/own-seat'
import { makeParticipants } from './participants/participants'
import { makePreflight } from './preparation/preflight'
import { beginRun } from './preparation/begin-run'
import { makePreparation } from './preparation/preparation'
import { bindTrainings } from './routes'
import { makeSeating } from './participants/seating'
import { makeLoginQueue } from './participants/login-queue'
import { makeHashes } from './session-code'
import * as seatStore from './seats/store'
import type * as store from './store'
import { makeTrainings } from './trainings'
import { makeWatchRule } from './watch-rule'

type Deps = {
  db: Database
  queue: Queue
  queueMail: QueueMail
  secrets: Secrets
  runtime: RuntimeConfigFiles
  users: Users
  sessions: Sessions
  attempts: Attempts
  clusters: ClustersApi
  credentials: Credentials
  courses: CoursesApi
  unknownApps: UnknownApps
  machineOpenToAnyone: () => Promise<boolean>
  usage: Usage
  twoStepRules: () => Promise<TwoStepSettings[]>
  testMail: Parameters<typeof makePreflight>[0]['testMail']
  tokenFor(userId: string, sessionId: string): Promise<LoggedIn>
  desktops: DesktopsApi
  apps: SeatApps
  system: AuditSource
  now: () => number
}

/** Workshop queries for modules that are opened before this one. */
export const workshopsOf = (db: Database) => ({
  forCourses: { usesOf: courseUses, seatOf: courseSeatOf, runsWorkshop },
  watchRule: makeWatchRule(db),
})

export function openTrainings(deps: Deps) {
  const { db, queue, users, sessions, clusters, usage, runtime, system, now } = deps
  const hashes = makeHashes(deps.secrets.deriveKey('workshop codes'))
  const { courses, unknownApps, machineOpenToAnyone } = deps
  const trainings = makeTrainings({
    db,
    queue,
    users,
    clusters,
    courses,
    unknownApps,
    machineOpenToAnyone,
    hashes,
    now,
  })
  const seating = makeSeating({ users, sessions, now })
  const tearDown = (tx: Transaction, training: store.FoundTraining): Promise<void> =>
    beginRun(tx, queue, training, 'teardown', { actor: null, source: system, at: new Date(now()) })
  const desktops: SeatPrograms = {
    end: async ({ userIds, clusterId }) =>
      (await deps.desktops.endDesktops({ userIds, ...(clusterId !== undefined && { clusterId }) })).length,
    running: async (userIds) => {
      const found = await deps.desktops.listOf({ userIds })
      return found.flatMap(({ id, ownerId, state }) => (state === 'running' ? [{ id, userId: ownerId }] : []))
    },
  }
  const control = makeControl({
    db,
    queue,
    sessions,
    trainings,
    desktops,
    apps: deps.apps,
    tearDown,
    now,
  })
  const endPrograms = makeEndPrograms(desktops, deps.apps)
  const clock = makeClock({ db, queue, tearDown, endPrograms, now })
  const removal = makeRemoval({ db, users, sessions, trainings, seating, endPrograms, now })
  const inTurn = makeLoginQueue()
  const { register, generateCode, resendCode, verifyCode, login } = makeParticipants({
    db,
    attempts: deps.attempts,
    hashes,
    queueMail: deps.queueMail,
    twoStepRules: deps.twoStepRules,
    workshopsOn: async () => (await runtime.config()).features.workshops,
    seating,
    tokenFor: deps.tokenFor,
    now,
  })
  const participants = {
    register: inTurn(register),
    generateCode: inTurn(generateCode),
    resendCode: inTurn(resendCode),
    verifyCode: inTurn(verifyCode),
    login: inTurn(login),
  }
  const cost = (training: store.FoundTraining) => costOf(db, usage, training, now())
  const preparation = makePreparation({
    db,
    users,
    clusters,
    seating,
    endPrograms,
    costOf: cost,
    system,
    now,
  })
  const preflight = makePreflight({
    clusters,
    credentials: deps.credentials,
    users,
    testMail: deps.testMail,
    needsMail: async ({ two_step, allowed_domains }) =>
      two_step ??
      (await deps.twoStepRules()).some(
        (rule) =>
          rule.enabled &&
          (allowed_domains.length === 0 ||
            allowed_domains.some((domain) => twoStepRuleFor([rule], `anyone@${domain}`))),
      ),
    seatsWithout: async ({ id, seats }) => {
      const made = await seatStore.ownClusters(db.kysely, id)
      return seats - made.filter(({ state }) => state === 'available').length
    },
    tryDesktop: deps.desktops.tryOut,
    checkApps: deps.apps.check,
  })

  const runs = makeRunActions({ db, queue, trainings, preflight, costOf: cost, now })

  return {
    bind: (bind: Bind) =>
      bindTrainings(bind, {
        db,
        trainings,
        participants,
        control,
        removal,
        ownSeats: makeOwnSeats(db, now),
        runs,
      }),
    bindSocket: (bindSocket: BindSocket) => bindAttendance(bindSocket, db, now),
    tasks: [clock.handler, preparation.handler],
    sweep: preparation.sweep,
  }
}
