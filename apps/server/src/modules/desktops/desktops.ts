import { isAdmin } from '@flotilla/contract/access'
import {
  DESKTOP_IDLE_MS,
  type Desktop,
  type DesktopMode,
  type DesktopViewer,
} from '@flotilla/contract/desktops/desktops'
import type { Database, Queryable } from '../../db/database'
import { fail } from '../../fail'
import type { AuditSource, Caller, RequestContext, SessionCaller } from '../../http/caller'
import { notifyIdentityChanged } from '../../live/live'
import type { Secrets } from '../../secrets/secrets'
import { record } from '../activities/activities'
import type { ClusterAccess, ClustersApi } from '../clusters/open'
import { notifyPeople } from '../sharing/sharing'
import type { DesktopHost } from './host'
import { makeLifecycle } from './lifecycle'
import { makeSettings, type DesktopDefaults } from './settings'
import * as store from './store'
import type { StoredDesktop } from './store'
import type { Tickets } from './tickets'

/** A connection that its server has not updated for this long is considered gone with that server. */
const VIEWER_SEEN_MS = 30_000

/** Who besides admins may watch and control other users' desktops, and who is notified of changes. */
export type WatchRule = {
  mayWatch(me: Caller, desktop: { ownerId: string; clusterId: string }): Promise<boolean>
  /** The ids of the users who are notified in addition to the owner. */
  notified(db: Queryable, ownerId: string): Promise<string[]>
}

type Options = {
  db: Database
  secrets: Secrets
  access: ClusterAccess
  find: ClustersApi['find']
  adminConnection: ClustersApi['connections']['admin']
  host: DesktopHost
  tickets: Tickets
  watchRules: WatchRule[]
  defaults(): Promise<DesktopDefaults>
  siteUrl(): Promise<string>
  system: AuditSource
  now: () => number
}

const nameOf = ({
  first_name,
  last_name,
  username,
}: Pick<StoredDesktop, 'first_name' | 'last_name' | 'username'>) =>
  `${first_name} ${last_name}`.trim() || username

export type Desktops = ReturnType<typeof makeDesktops>
/** Manages one desktop per user and cluster. */
export function makeDesktops(options: Options) {
  const { db, access, host, tickets, watchRules, now } = options
  const settings = makeSettings(options)
  const seenSince = () => new Date(now() - VIEWER_SEEN_MS)
  const notify = async (on: Queryable, { user_id }: Pick<StoredDesktop, 'user_id'>): Promise<void> => {
    const others = await Promise.all(watchRules.map((rule) => rule.notified(on, user_id)))
    await notifyPeople(on, 'desktops', [user_id, ...others.flat()])
  }
  const isWatcher = async (me: Caller, desktop: StoredDesktop): Promise<boolean> => {
    const given = { ownerId: desktop.user_id, clusterId: desktop.cluster_id }
    return (await Promise.all(watchRules.map((rule) => rule.mayWatch(me, given)))).includes(true)
  }
  /** The desktop, if this user may see that it exists. */
  const seen = async (me: Caller, id: string): Promise<StoredDesktop> => {
    const [desktop] = await store.find(db.kysely, { id })
    if (!desktop) return fail('not_found')
    const may = desktop.user_id === me.id || isAdmin(me) || (await isWatcher(me, desktop))
    return may ? desktop : fail('not_found')
  }
  /** The desktop, if the user may also change it; an admin needs the admin scope. */
  const operable = async (
    me: Caller,
    id: string,
    { adminScope }: Pick<RequestContext, 'adminScope'>,
  ): Promise<StoredDesktop> => {
    const desktop = await seen(me, id)
    if (desktop.user_id === me.id || adminScope || (await isWatcher(me, desktop))) return desktop
    return fail('admin_scope_needed')
  }
  const own = async (me: Caller, id: string): Promise<StoredDesktop> => {
    const [desktop] = await store.find(db.kysely, { id, userIds: [me.id] })
    return desktop ?? fail('not_found')
  }

  const views = async (rows: StoredDesktop[]): Promise<Desktop[]> => {
    const viewers = await store.viewersOf(
      db.kysely,
      rows.map(({ id }) => id),
      seenSince(),
    )
    return Promise.all(
      rows.map(async (row) => {
        const here = viewers.filter(({ desktop_id }) => desktop_id === row.id)
        const lastSeen = here.length > 0 ? now() : row.last_seen_at.getTime()
        return {
          id: row.id,
          clusterId: row.cluster_id,
          clusterName: row.cluster_name,
          ownerId: row.user_id,
          owner: nameOf(row),
          state: row.state,
          createdAt: row.created_at.getTime(),
          lastActivityAt: row.last_activity_at.getTime(),
          expiresAt: lastSeen + DESKTOP_IDLE_MS,
          viewers: here.map((viewer): DesktopViewer => ({
            id: viewer.id,
            userId: viewer.user_id,
            name: nameOf(viewer),
            mode: viewer.mode,
            since: viewer.since.getTime(),
          })),
          ...(await settings.connecting(row)),
        }
      }),
    )
  }
  const lifecycle = makeLifecycle({ ...options, notify, seenSince })
  const { end, passwordOf } = lifecycle

  const view = async (row: StoredDesktop): Promise<Desktop> => (await views([row]))[0] ?? fail('not_found')

  const endRecord = (me: Caller, { username, ...desktop }: StoredDesktop) => ({
    action: 'desktop ended' as const,
    subject: { kind: 'cluster' as const, id: desktop.cluster_id, name: desktop.cluster_name },
    detail: desktop.user_id === me.id ? '' : `of ${username}`,
  })

  return {
    create: async (me: Caller, clusterId: string, context: RequestContext) => {
      const { id, expiresAt } = await view(await lifecycle.ensure(me, clusterId, context))
      const url = `${await options.siteUrl()}/clusters/${encodeURIComponent(clusterId)}/desktop`
      return { id, url, expiresAt }
    },
    async list(me: Caller, clusterId: string | undefined, adminScope: boolean): Promise<Desktop[]> {
      return views(await store.find(db.kysely, { ...(!adminScope && { userIds: [me.id] }), clusterId }))
    },
    view: async (me: Caller, id: string): Promise<Desktop> => view(await seen(me, id)),
    async ticket(me: SessionCaller, id: string, mode: DesktopMode, context: RequestContext) {
      const desktop = await operable(me, id, context)
      if (desktop.state !== 'running') fail('wrong_state', { message: 'The desktop is not running' })
      if (desktop.user_id === me.id) await access.forPerson(me, desktop.cluster_id)
      return context.transaction((tx) => tickets.issue(tx, me, id, mode))
    },
    /** The password, which is only shown if the user needs it to connect. */
    async password(me: Caller, id: string): Promise<{ password: string }> {
      const desktop = await own(me, id)
      const { asksPassword, tunnel } = await settings.connecting(desktop)
      if (!asksPassword && !tunnel)
        fail('forbidden', {
          message: 'Desktops on this cluster open from the console only, without a password',
        })
      return { password: passwordOf(desktop) }
    },
    async end(me: Caller, id: string, context: RequestContext): Promise<void> {
      const desktop = await operable(me, id, context)
      await context.transaction((tx) => record(tx, me, context, endRecord(me, desktop)))
      const [ended] = await end([desktop])
      if (ended === undefined)
        fail('head_node_unavailable', {
          message: `${desktop.cluster_name} cannot be reached right now. The desktop will end as soon as it can be reached.`,
        })
    },
    /** Disconnects a viewer, on behalf of the owner, the viewer themselves or an admin. */
    async endViewer(me: Caller, id: string, viewerId: string, context: RequestContext): Promise<void> {
      const desktop = await seen(me, id)
      await context.transaction(async (tx) => {
        const viewers = await store.viewersOf(tx, [id], new Date(0))
        const viewer = viewers.find((one) => one.id === viewerId) ?? fail('not_found')
        if (desktop.user_id !== me.id && viewer.user_id !== me.id && !context.adminScope) fail('forbidden')
        await store.removeViewer(tx, viewerId, id)
        await notify(tx, desktop)
        await notifyIdentityChanged(tx, viewer.user_id)
      })
    },

    /** Starts a user's desktop in advance. */
    async prepare(person: Caller, clusterId: string): Promise<void> {
      await lifecycle.ensure(person, clusterId, { ...options.system, transaction: db.transaction })
    },
    /**
     * Ends the desktops of these users on one or all clusters. Returns the ids of those that have ended; the others end
     * as soon as possible.
     */
    async endDesktops(which: { userIds: string[]; clusterId?: string }): Promise<string[]> {
      return end(await store.find(db.kysely, which))
    },
    /** The desktops of these users, with viewers and the time of the last activity. */
    listOf: async (which: { userIds: string[]; clusterId?: string }): Promise<Desktop[]> =>
      views(await store.find(db.kysely, which)),
    /** Starts a desktop for this user and ends it again. Returns what is missing and how to install it, or null. */
    async tryOut(me: Caller, clusterId: string, context: RequestContext): Promise<string | null> {
      const cluster = await options.find(me, clusterId)
      const connection = await access.withUserFacingErrors(options.adminConnection(cluster))
      const missing = await host.missing(connection, cluster.name)
      const which = { userIds: [me.id], clusterId }
      if (missing !== null || (await store.find(db.kysely, which)).length > 0) return missing
      try {
        await lifecycle.ensure(me, clusterId, context)
        return null
      } finally {
        await end(await store.find(db.kysely, which))
      }
    },

    /** For this module's own connections. */
    notify,
    connect: lifecycle.connect,
    forgetIfGone: lifecycle.forgetIfGone,
    mayWatch: async (me: Caller, desktop: StoredDesktop): Promise<boolean> =>
      isAdmin(me) || isWatcher(me, desktop),
    viewerPassword: async (desktop: StoredDesktop): Promise<string | null> =>
      (await settings.connecting(desktop)).asksPassword ? passwordOf(desktop) : null,
    endLost: lifecycle.endLost,
    sweep: lifecycle.sweep,
  }
}
