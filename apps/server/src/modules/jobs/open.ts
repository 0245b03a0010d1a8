import type { Logger } from 'pino'
import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { AuditSource } from '../../http/caller'
import type { BindSocket } from '../../http/socket-bind'
import type { Queue } from '../../queue/queue'
import type { ClustersApi } from '../clusters/open'
import type { Sessions } from '../sessions/sessions'
import { makeFormerAdmins } from './former-admins'
import { makeJobs, makeNotifier } from './jobs'
import { makeOutputs } from './outputs'
import { bindJobs } from './routes'
import { makeFollowedOutput } from './socket'
import { makeSubmissions } from './submissions'
import { makeTracker } from './tracking/track'

type Deps = {
  db: Database
  queue: Queue
  sessions: Sessions
  clusters: Pick<ClustersApi, 'access' | 'observe'>
  system: AuditSource
  log: Logger
  now: () => number
}

export type JobsApi = ReturnType<typeof openJobs>['api']
export function openJobs({ db, queue, sessions, clusters, system, log, now }: Deps) {
  const clusterAccess = clusters.access
  const jobs = makeJobs(db, now)
  const submissions = makeSubmissions({
    db,
    jobs,
    clusterAccess,
    queue,
    notifySoon: makeNotifier(db, log),
    now,
  })
  const outputs = makeOutputs({ db, jobs, submissions, clusterAccess })
  const followed = makeFollowedOutput(outputs, sessions.caller)
  clusters.observe({ ...makeTracker(db, clusterAccess, now), onRound: submissions.adopt })
  return {
    api: { adopt: submissions.adopt, jobs, submissions, outputs },
    bind: (bind: Bind) => bindJobs(bind, jobs, submissions, outputs),
    bindSocket: (bindSocket: BindSocket) => followed.bind(bindSocket),
    identityChanged: followed.recheck,
    stop: followed.stop,
    tasks: submissions.handlers(),
    sweep: makeFormerAdmins(db, clusterAccess, system, now).cancelJobs,
  }
}
