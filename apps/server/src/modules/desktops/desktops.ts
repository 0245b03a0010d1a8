import {
  DESKTOP_IDLE_MS,
  type Desktop,
  type DesktopMode,
  type DesktopViewer,
} from '@flotilla/contract/desktops/desktops'
import type { Database, Queryable } from '../../db/database'
import { fail, Failure } from '../../fail'
import type { Caller, RequestContext, SessionCaller } from '../../http/caller'
import { newId } from '../../ids'
import { notifyIdentityChanged } from '../../live/live'
import { sealContext } from '../../secrets/sealed-values'
import type { Secrets } from '../../secrets/secrets'
import { record } from '../activities/activities'
import type { ClusterAccess, ClustersApi } from '../clusters/open'
import { notifyPeople } from '../sharing/sharing'
import { DesktopGone, type ClusterConnection, type makeDesktopHost } from './host'
import { makeSettings, type DesktopDefaults } from './settings'
import * as store from './store'
import type { StoredDesktop } from './store'
import type { Tickets } from './tickets'

/** A connection whose server has not said for so long that it has it is gone with that server. */
const VIEWER_SEEN_MS = 30_000
const PASSWORD_LENGTH = 8

/** Who may watch and control the desktops of others besides admins, and who else sees that one changed. */
export type WatchRule = {
  mayWatch(me: Caller, desktop: { ownerId: string; clusterId: string }): Promise<boolean>
  /** The ids of those who are notified with the owner. */
  notified(db: Queryable, ownerId: string): Promise<string[]>
}

type Options = {
  db: Database
  secrets: Secrets
  access: ClusterAccess
  find: ClustersApi['find']
  adminConnection: ClustersApi['connections']['admin']
  host: ReturnType<typeof makeDesktopHost>
  tickets: Tickets
  defaults(): Promise<DesktopDefaults>
  siteUrl(): Promise<string>
  now: () => number
}

const nameOf = ({
  first_name,
  last_name,
  username,
}: Pick<StoredDesktop, 'first_name' | 'last_name' | 'username'>) =>
  `${first_name} ${last_name}`.trim() || username

export type Desktops = ReturnType<typeof makeDesktops>
/** One desktop for each person and cluster: started, found again, watched and ended. */
export function makeDesktops(options: Options) {
  const { db, secrets, access, host, tickets, now } = options
  const rules: WatchRule[] = []
  const settings = makeSettings(options)
  /** Starts in progress on this server, so that two requests wait for one. */
  const starting = new Map<string, Promise<void>>()

  const seenSince = () => new Date(now() - VIEWER_SEEN_MS)
  const passwordOf = ({ id, sealed_password }: StoredDesktop): string =>
    secrets.open(sealed_password, sealContext.desktopPassword(id)).toString()

  const notify = async (on: Queryable, { user_id }: Pick<StoredDesktop, 'user_id'>): Promise<void> => {
    const others = await Promise.all(rules.map((rule) => rule.notified(on, user_id)))
    await notifyPeople(on, 'desktops', [user_id, ...others.flat()])
  }
  const connectionOf = async (desktop: StoredDesktop): Promise<ClusterConnection> => {
    const { cluster_id, cluster_name, user_id, username } = desktop
    const row = { cluster_id, cluster_name, user_id, submitted_by: username, run_as_admin: false }
    return (await access.forSubmission(row)).connection
  }

  const isWatcher = async (me: Caller, desktop: StoredDesktop): Promise<boolean> => {
    const given = { ownerId: desktop.user_id, clusterId: desktop.cluster_id }
    return (await Promise.all(rules.map((rule) => rule.mayWatch(me, given)))).includes(true)
  }
  /** The desktop, if this person may see that it exists. */
  const seen = async (me: Caller, id: string): Promise<StoredDesktop> => {
    const [desktop] = await store.find(db.kysely, { id })
    if (!desktop) return fail('not_found')
    const may = desktop.user_id === me.id || me.role.includes('admin') || (await isWatcher(me, desktop))
    return may ? desktop : fail('not_found')
  }
  /** The same, if they may also do something with it: an admin asks for that with their scope. */
  const reached = async (
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
  const view = async (row: StoredDesktop): Promise<Desktop> => (await views([row]))[0] ?? fail('not_found')

  /** Removes the record of one that has ended, in whichever way. */
  const forget = async (desktop: StoredDesktop): Promise<void> =>
    db.transaction(async (tx) => {
      await store.remove(tx, desktop.id)
      await notify(tx, desktop)
      // Every server disconnects who is still connected to it.
      await notifyIdentityChanged(tx, desktop.user_id)
    })

  const isUp = async (connection: ClusterConnection, desktop: StoredDesktop): Promise<boolean> => {
    try {
      await host.probe(connection, desktop.id)
      return true
    } catch (error) {
      if (error instanceof DesktopGone) return false
      throw access.asFailure(error)
    }
  }

  const bringUp = async (
    connection: ClusterConnection,
    desktop: StoredDesktop,
    asJob: boolean,
  ): Promise<void> => {
    const { id, cluster_id: clusterId, cluster_name: clusterName } = desktop
    try {
      const given = { id, clusterId, clusterName, password: passwordOf(desktop), asJob }
      const { folder, job } = await host.start(connection, given)
      await store.update(db.kysely, id, { job, account: connection.account, socket: `${folder}/rfb.sock` })
      await host.waitUntilUp(connection, id)
    } catch (error) {
      await end([desktop])
      throw access.asFailure(error)
    }
    if (!(await store.markRunning(db.kysely, id)))
      fail('desktop_failed', { message: 'The desktop was ended while it started' })
    await notify(db.kysely, desktop)
  }
  const upOnce = (connection: ClusterConnection, desktop: StoredDesktop, asJob: boolean): Promise<void> => {
    const begun =
      starting.get(desktop.id) ??
      bringUp(connection, desktop, asJob).finally(() => starting.delete(desktop.id))
    starting.set(desktop.id, begun)
    return begun
  }

  /** The one that the person has there, or a new one that is yet to be started. */
  const claim = async (me: Caller, clusterId: string, context: RequestContext): Promise<StoredDesktop> => {
    const id = newId()
    const at = new Date(now())
    return context.transaction(async (tx) => {
      const isNew = await store.insert(tx, {
        id,
        cluster_id: clusterId,
        user_id: me.id,
        state: 'starting',
        sealed_password: secrets.seal(newId().slice(0, PASSWORD_LENGTH), sealContext.desktopPassword(id)),
        job: null,
        account: null,
        socket: null,
        created_at: at,
        last_activity_at: at,
        last_seen_at: at,
      })
      const [desktop] = await store.find(tx, { userIds: [me.id], clusterId })
      if (!desktop) return fail('not_found')
      if (isNew) {
        const subject = { kind: 'cluster' as const, id: clusterId, name: desktop.cluster_name }
        await record(tx, me, context, { action: 'desktop started', subject })
        await notify(tx, desktop)
      }
      return desktop
    })
  }

  const create = async (me: Caller, clusterId: string, context: RequestContext): Promise<Desktop> => {
    const { connection, cluster } = await access.forPerson(me, clusterId)
    connection.requireRoom?.()
    const desktop = await claim(me, clusterId, context)
    if (desktop.state === 'ending' || (desktop.state === 'running' && !(await isUp(connection, desktop)))) {
      await end([desktop])
      return create(me, clusterId, context)
    }
    if (desktop.state === 'starting') await upOnce(connection, desktop, access.isBuiltin(cluster))
    return view((await store.find(db.kysely, { id: desktop.id }))[0] ?? fail('not_found'))
  }

  /** Ends them on their clusters. Those whose cluster cannot be reached stay marked, and the sweep tries again. */
  const end = async (desktops: StoredDesktop[]): Promise<string[]> => {
    await db.transaction(async (tx) => {
      for (const desktop of desktops) {
        await store.update(tx, desktop.id, { state: 'ending' })
        await notify(tx, desktop)
        await notifyIdentityChanged(tx, desktop.user_id)
      }
    })
    const ended = await Promise.all(
      desktops.map(async (desktop) => {
        try {
          const [row] = await store.find(db.kysely, { id: desktop.id })
          await host.end(await connectionOf(desktop), desktop.id, row?.job ?? desktop.job)
          await forget(desktop)
          return [desktop.id]
        } catch {
          return []
        }
      }),
    )
    return ended.flat()
  }
  const endRecord = (me: Caller, { username, ...desktop }: StoredDesktop) => ({
    action: 'desktop ended' as const,
    subject: { kind: 'cluster' as const, id: desktop.cluster_id, name: desktop.cluster_name },
    detail: desktop.user_id === me.id ? '' : `of ${username}`,
  })

  /** Those of people who no longer exist: nothing can act as them, but their jobs can be canceled. */
  const endOwnerless = async (): Promise<void> => {
    for (const { id, job, cluster_id, cluster_name } of await store.ownerless(db.kysely))
      try {
        if (job !== null) {
          const row = { cluster_id, cluster_name, user_id: null, submitted_by: '', run_as_admin: true }
          const { connection } = await access.forSubmission(row)
          await access.query(connection, connection.scheduler.cancel(job))
        }
        await store.remove(db.kysely, id)
      } catch (error) {
        const known = access.asFailure(error)
        if (known instanceof Failure && known.status !== 503) await store.remove(db.kysely, id)
      }
  }

  return {
    create: async (me: Caller, clusterId: string, context: RequestContext) => {
      const { id, expiresAt } = await create(me, clusterId, context)
      const url = `${await options.siteUrl()}/clusters/${encodeURIComponent(clusterId)}/desktop`
      return { id, url, expiresAt }
    },
    async list(me: Caller, clusterId: string | undefined, adminScope: boolean): Promise<Desktop[]> {
      return views(await store.find(db.kysely, { ...(!adminScope && { userIds: [me.id] }), clusterId }))
    },
    view: async (me: Caller, id: string): Promise<Desktop> => view(await seen(me, id)),
    async ticket(me: SessionCaller, id: string, mode: DesktopMode, context: RequestContext) {
      const desktop = await reached(me, id, context)
      if (desktop.state !== 'running') fail('wrong_state', { message: 'The desktop is not running' })
      if (desktop.user_id === me.id) await access.forPerson(me, desktop.cluster_id)
      return context.transaction((tx) => tickets.issue(tx, me, id, mode))
    },
    /** Only where someone is asked for it. */
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
      const desktop = await reached(me, id, context)
      await context.transaction((tx) => record(tx, me, context, endRecord(me, desktop)))
      const [ended] = await end([desktop])
      if (ended === undefined)
        fail('head_node_unavailable', {
          message: `${desktop.cluster_name} cannot be reached now. The desktop ends as soon as it can be.`,
        })
    },
    /** Its owner, the viewer themselves, or an admin. */
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

    /** Of these people, on this cluster or on all. Answers the ids of those that have ended; the others do as soon as possible. */
    async endDesktops(which: { userIds: string[]; clusterId?: string }): Promise<string[]> {
      return end(await store.find(db.kysely, which))
    },
    /** Of these people, with who is connected and when they last did something. */
    listOf: async (which: { userIds: string[]; clusterId?: string }): Promise<Desktop[]> =>
      views(await store.find(db.kysely, which)),
    /** What is missing for desktops on this cluster and how to install it, or null when they can start. */
    async readiness(me: Caller, clusterId: string): Promise<string | null> {
      const cluster = await options.find(me, clusterId)
      const connection = await access.withUserFacingErrors(options.adminConnection(cluster))
      return host.missing(connection, cluster.name)
    },
    addWatchRule: (rule: WatchRule): void => void rules.push(rule),

    /** For this module's own connections. */
    notify,
    connect: async (desktop: StoredDesktop) => {
      const connection = await connectionOf(desktop)
      return host.connect(connection, desktop.id, passwordOf(desktop)).catch((error: unknown) => {
        throw access.asFailure(error)
      })
    },
    mayWatch: async (me: Caller, desktop: StoredDesktop): Promise<boolean> =>
      me.role.includes('admin') || isWatcher(me, desktop),
    askedPassword: async (desktop: StoredDesktop): Promise<string | null> =>
      (await settings.connecting(desktop)).asksPassword ? passwordOf(desktop) : null,
    async forgetIfGone(desktop: StoredDesktop): Promise<void> {
      const isGone = await connectionOf(desktop)
        .then((connection) => isUp(connection, desktop))
        .then((up) => !up)
      if (isGone) await forget(desktop)
    },

    /** Ends what no one has used for long, what its person may no longer have, and what could not be ended before. */
    async sweep(): Promise<void> {
      const at = now()
      await store.removeExpired(db.kysely, new Date(at), seenSince())
      await endOwnerless()
      for (const desktop of await store.find(db.kysely, {})) {
        const isIdle = desktop.last_seen_at.getTime() + DESKTOP_IDLE_MS < at
        const isStuck = desktop.state === 'starting' && desktop.created_at.getTime() + STUCK_MS < at
        if (desktop.state === 'ending' || isIdle || isStuck || (await isLost(desktop))) await end([desktop])
      }
    },
  }

  /** Whether its person may no longer have it. */
  async function isLost(desktop: StoredDesktop): Promise<boolean> {
    const person = await store.personOf(db.kysely, desktop.user_id)
    if (!person) return false
    try {
      await access.forPerson(person, desktop.cluster_id)
      return false
    } catch (error) {
      return error instanceof Failure && ['not_found', 'forbidden', 'no_account'].includes(error.code)
    }
  }
}
/** A start takes seconds; one that began long ago was cut off by the end of its server. */
const STUCK_MS = 5 * 60_000
