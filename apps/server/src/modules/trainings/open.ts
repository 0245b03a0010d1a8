import { twoStepRuleFor, type TwoStepSettings } from '@flotilla/contract/site/two-step'
import type { LogLine } from '@flotilla/contract/clusters/entity'
import type { LoggedIn } from '@flotilla/contract/people/auth'
import type { Training, TrainingCost } from '@flotilla/contract/trainings/entity'
import type * as z from 'zod/mini'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Bind } from '../../http/bind'
import type { AuditSource, Caller, RequestContext } from '../../http/caller'
import type { BindSocket } from '../../http/socket-bind'
import type { QueueMail } from '../../mail/tasks'
import type { Queue } from '../../queue/queue'
import type { RuntimeConfigFiles } from '../../runtime/runtime'
import type { Secrets } from '../../secrets/secrets'
import type { SeatApps } from '../apps/open'
import type { Attempts } from '../attempts/attempts'
import type { ClustersApi } from '../clusters/open'
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
import { makeRemoval } from './removal'
import { makeWatchRule } from './watch-rule'
import { costOf } from './cost'
import { makeOwnSeats } from './own-seat'
import { makeParticipants } from './participants'
import { makePreflight } from './preflight'
import { beginRun, LOG, makePreparation } from './preparation'
import { bindTrainings } from './routes'
import { makeSeating } from './seating'
import { makeTurns } from './in-turn'
import { makeHashes } from './session-code'
import * as store from './store'
import { makeTrainings } from './trainings'
import { stateOf } from './view'

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
  usage: Usage
  twoStepRules: () => Promise<TwoStepSettings[]>
  testMail: Parameters<typeof makePreflight>[0]['testMail']
  tokenFor(userId: string, sessionId: string): Promise<LoggedIn>
  desktops: DesktopsApi
  apps: SeatApps
  system: AuditSource
  now: () => number
}

export type Runs = {
  preflight: (me: Caller, id: string, context: RequestContext) => ReturnType<ReturnType<typeof makePreflight>>
  prepare(me: Caller, id: string, context: RequestContext): Promise<Training>
  logs(me: Caller, id: string, after: number): Promise<z.infer<typeof LogLine>[]>
  cost(me: Caller, id: string): Promise<TrainingCost>
}

export function openTrainings(deps: Deps) {
  const { db, queue, users, sessions, clusters, usage, runtime, system, now } = deps
  const hashes = makeHashes(deps.secrets.deriveKey('workshop codes'))
  const trainings = makeTrainings({ db, queue, clusters, courses: deps.courses, hashes, now })
  const seating = makeSeating({ users, sessions, now })
  const tearDown = (tx: Transaction, training: store.FoundTraining): Promise<void> =>
    beginRun(tx, queue, training, 'teardown', { actor: null, source: system, at: new Date(now()) })
  const clock = makeClock({ db, queue, tearDown, now })
  const desktops: SeatPrograms = {
    end: async ({ userIds, clusterId }) =>
      (await deps.desktops.endDesktops({ userIds, ...(clusterId !== undefined && { clusterId }) })).length,
    running: async (userIds) => {
      const found = await deps.desktops.listOf({ userIds })
      return found.flatMap(({ id, ownerId, state }) => (state === 'running' ? [{ id, userId: ownerId }] : []))
    },
  }
  deps.desktops.addWatchRule(makeWatchRule(db))
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
  const removal = makeRemoval({ db, users, sessions, trainings, seating, endPrograms })
  const inTurn = makeTurns()
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
    queue,
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
    desktopMissing: deps.desktops.readiness,
    checkApps: deps.apps.check,
  })

  const runs: Runs = {
    preflight: async (me, id, context) => preflight(me, await trainings.run(me, id, context), context),
    async prepare(me, id, context) {
      const training = await trainings.run(me, id, context)
      if (stateOf(training, now()) === 'ended') fail('wrong_state', { message: 'This workshop has ended' })
      await context.transaction(async (tx) => {
        const locked = (await store.lock(tx, id)) ?? fail('not_found')
        if (locked.preparation === 'preparing')
          fail('wrong_state', { message: 'The seats are being prepared already' })
        await beginRun(tx, queue, training, 'prepare', { actor: me, source: context, at: new Date(now()) })
      })
      return trainings.view(me, id)
    },
    async logs(me, id, after) {
      await trainings.forInstructor(me, id)
      const from = Math.floor(Math.min(Math.max(0, after), Number.MAX_SAFE_INTEGER))
      return (await store.logs(db.kysely, id, LOG, from)).map((row) => ({ ...row, time: row.time.getTime() }))
    },
    cost: async (me, id) => cost(await trainings.forInstructor(me, id)),
  }

  return {
    api: { tick: clock.tick },
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
