import type { Logger } from 'pino'
import type { ServerConfig } from '../../config'
import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import { makeAddressOf } from '../../http/address'
import type { AuditSource } from '../../http/caller'
import type { RateLimit } from '../../http/guards'
import type { Secrets } from '../../secrets/secrets'
import type { ClustersApi } from '../clusters/open'
import type { JobsApi } from '../jobs/open'
import type { Sessions } from '../sessions/sessions'
import { makeApps } from './apps'
import { makeGate } from './gateway/gate'
import { makeGateway } from './gateway/gateway'
import { bindApps } from './routes'
import { makeParticipantApps } from './sessions/participant-apps'
import { makeAppSessions } from './sessions/sessions'
import { makeTickets } from './sessions/tickets'
import { makeUpstreams } from './gateway/upstreams'
import { makeWatch } from './gateway/watch'

type Deps = {
  config: Pick<ServerConfig, 'appsDomain' | 'trustProxy'>
  rateLimit: RateLimit
  db: Database
  secrets: Secrets
  sessions: Sessions
  clusters: Pick<ClustersApi, 'access' | 'observe'>
  jobs: JobsApi
  siteUrl: () => Promise<string>
  system: AuditSource
  log: Logger
  now: () => number
}

/** The actions of workshops on the apps of their participants. */
export type SeatApps = ReturnType<typeof makeParticipantApps>

/** The interval at which unused connections are closed. */
const IDLE_MS = 60_000

export function openApps({
  config,
  rateLimit,
  db,
  secrets,
  sessions,
  clusters,
  jobs,
  siteUrl,
  system,
  log,
  now,
}: Deps) {
  const domain = config.appsDomain
  const addressOf = makeAddressOf(config.trustProxy)
  const tickets = makeTickets({ db, key: secrets.deriveKey('apps'), domain, siteUrl, now })
  const gate = makeGate({ db, sessions, clusterAccess: clusters.access, now })
  const upstreams = makeUpstreams(clusters.access)
  const apps = makeApps(db, now)
  const appSessions = makeAppSessions({ db, apps, jobs, clusterAccess: clusters.access, tickets, now })
  const watch = makeWatch({ db, upstreams, gate, now })
  clusters.observe(watch)
  const idle = setInterval(() => {
    for (const id of upstreams.ids()) if (!gate.inUse(id)) upstreams.close(id)
  }, IDLE_MS).unref()
  return {
    api: {
      apps,
      sessions: appSessions,
      seats: makeParticipantApps({
        db,
        apps,
        sessions: appSessions,
        clusterAccess: clusters.access,
        system,
      }),
    },
    /** Serves the host names below the domain of apps. */
    hosts: makeGateway({
      db,
      domain,
      tickets,
      gate,
      upstreams,
      sessions,
      isWithinLimit: (request) => rateLimit(addressOf(request)),
      log,
    }),
    bind: (bind: Bind) => bindApps(bind, apps, appSessions),
    identityChanged: gate.recheck,
    sweep: () => Promise.all([tickets.sweep(), watch.sweep()]),
    stop(): void {
      clearInterval(idle)
      watch.stop()
      gate.stop()
      upstreams.closeAll()
    },
  }
}
