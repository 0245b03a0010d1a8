import type { Server } from 'node:http'
import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { AuditSource } from '../../http/caller'
import type { Secrets } from '../../secrets/secrets'
import type { ClustersApi } from '../clusters/open'
import type { Sessions } from '../sessions/sessions'
import { makeDesktopConnections } from './connections'
import { makeDesktops, type WatchRule } from './desktops'
import { makeDesktopHost } from './host'
import { bindDesktops } from './routes'
import type { DesktopDefaults } from './settings'
import { makeDesktopSocket } from './socket'
import { makeTickets } from './tickets'

type Deps = {
  db: Database
  secrets: Secrets
  clusters: Pick<ClustersApi, 'access' | 'find' | 'connections' | 'observe'>
  sessions: Sessions
  /** The rules by which users other than admins may watch desktops. */
  watchRules: WatchRule[]
  /** How users connect to desktops on clusters without their own setting. */
  defaults(): Promise<DesktopDefaults>
  siteUrl(): Promise<string>
  system: AuditSource
  now: () => number
}

export type DesktopsApi = ReturnType<typeof openDesktops>['api']

export function openDesktops(deps: Deps) {
  const { db, secrets, clusters, sessions, watchRules, defaults, siteUrl, system, now } = deps
  const { access } = clusters
  const tickets = makeTickets(db, now)
  const desktops = makeDesktops({
    db,
    secrets,
    access,
    find: clusters.find,
    adminConnection: clusters.connections.admin,
    host: makeDesktopHost(access),
    tickets,
    watchRules,
    defaults,
    siteUrl,
    system,
    now,
  })
  const connections = makeDesktopConnections({
    db,
    access,
    callerOf: sessions.caller,
    tickets,
    connect: desktops.connect,
    mayWatch: desktops.mayWatch,
    passwordOf: desktops.viewerPassword,
    notify: desktops.notify,
    onLost: desktops.forgetIfGone,
    system,
    now,
  })
  const socket = makeDesktopSocket(connections.accept)
  clusters.observe({
    onDecline: (userId, clusterId) => desktops.endDesktops({ userIds: [userId], clusterId }),
  })
  const { prepare, endDesktops, listOf, tryOut } = desktops
  return {
    api: { prepare, endDesktops, listOf, tryOut },
    bind: (bind: Bind) => bindDesktops(bind, desktops),
    serveUpgrades: (server: Server) => socket.attach(server),
    identityChanged(userId?: string): void {
      connections.recheck(userId)
      // Without an id, which means that notifications may have been missed, the next sweep checks all users.
      if (userId !== undefined) void desktops.endLost(userId).catch(() => undefined)
    },
    sweep: desktops.sweep,
    stop(): void {
      connections.stop()
      socket.close()
    },
  }
}
