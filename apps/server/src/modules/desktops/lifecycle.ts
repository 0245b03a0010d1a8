import { DESKTOP_IDLE_MS } from '@flotilla/contract/desktops/desktops'
import type { ClusterState } from '@flotilla/contract/clusters/states'
import type { Database, Queryable } from '../../db/database'
import { fail, Failure, isPermanent } from '../../fail'
import type { AuditSource, Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import { notifyIdentityChanged } from '../../live/live'
import { sealContext } from '../../secrets/sealed-values'
import type { Secrets } from '../../secrets/secrets'
import { within } from '../../timing/within'
import { eachOf } from '../../timing/workers'
import { record } from '../activities/activities'
import type { ClusterAccess } from '../clusters/open'
import { personOf } from '../../db/people'
import type { ClusterConnection, DesktopHost } from './host'
import * as store from './store'
import type { StoredDesktop } from './store'
import { DesktopGone } from './streams'

const PASSWORD_LENGTH = 8
/** A start takes seconds; one that began longer ago was interrupted by the end of its server. */
const STUCK_MS = 5 * 60_000
/** How often a desktop without viewers is probed. */
const PROBE_EVERY_MINUTES = 10
const AT_ONCE = 10
/** The time limit per desktop in a sweep, so that none delays the others. The next sweep retries it. */
const SWEEP_ONE_MS = 60_000
/** The states of clusters whose machines are gone or no longer accessible. */
const CLUSTER_GONE: ClusterState[] = ['saved', 'planned', 'destroyed']
/** The errors that mean that a user may no longer have a desktop, and not that its cluster is unavailable. */
const LOST = ['not_found', 'forbidden', 'no_account']

/** How the start is recorded in the audit trail. */
type StartContext = AuditSource & Pick<RequestContext, 'transaction'>

type Options = {
  db: Database
  secrets: Secrets
  access: ClusterAccess
  host: DesktopHost
  notify(on: Queryable, desktop: Pick<StoredDesktop, 'user_id'>): Promise<void>
  /** Connections that were last seen before this time are gone. */
  seenSince(): Date
  now: () => number
}

/** Starts desktops, finds them again and ends them. Each step can be repeated after a crash. */
export function makeLifecycle({ db, secrets, access, host, notify, seenSince, now }: Options) {
  /** Starts in progress on this server, so that two requests wait for one. */
  const starting = new Map<string, Promise<void>>()

  const passwordOf = ({ id, sealed_password }: StoredDesktop): string =>
    secrets.open(sealed_password, sealContext.desktopPassword(id)).toString()
  const connectionOf = async (desktop: StoredDesktop): Promise<ClusterConnection> => {
    const { cluster_id, cluster_name, user_id, username } = desktop
    const row = { cluster_id, cluster_name, user_id, submitted_by: username, run_as_admin: false }
    return (await access.forSubmission(row)).connection
  }

  /** Removes the record of a desktop that has ended. */
  const forget = (desktop: StoredDesktop): Promise<void> =>
    db.transaction(async (tx) => {
      await store.remove(tx, desktop.id)
      await notify(tx, desktop)
      // Every server then disconnects the remaining viewers.
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

  /** Ends desktops on their clusters. If a cluster is unreachable, they stay marked and the sweep retries. */
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

  const bringUp = async (
    connection: ClusterConnection,
    desktop: StoredDesktop,
    asJob: boolean,
  ): Promise<void> => {
    const { id, cluster_id: clusterId, cluster_name: clusterName } = desktop
    try {
      const given = { id, clusterId, clusterName, password: passwordOf(desktop), asJob }
      const { folder, job } = await host.start(connection, given)
      const { account } = connection
      await store.update(db.kysely, id, { job, account, socket: `${folder}/rfb.sock` })
      await host.waitUntilUp(connection, id)
    } catch (error) {
      await end([desktop])
      throw access.asFailure(error)
    }
    if (!(await store.markRunning(db.kysely, id)))
      fail('desktop_failed', { message: 'The desktop was ended while it was starting' })
    await notify(db.kysely, desktop)
  }

  /** The user's desktop on the cluster, or a new record of one to be started. */
  const claim = (me: Caller, clusterId: string, context: StartContext): Promise<StoredDesktop> => {
    const id = newId()
    const at = new Date(now())
    return context.transaction(async (tx) => {
      const isNew = await store.insert(tx, {
        id,
        cluster_id: clusterId,
        user_id: me.id,
        state: 'starting',
        sealed_password: secrets.seal(newId().slice(0, PASSWORD_LENGTH), sealContext.desktopPassword(id)),
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

  const ensure = async (me: Caller, clusterId: string, context: StartContext): Promise<StoredDesktop> => {
    const { connection, cluster } = await access.forPerson(me, clusterId)
    connection.requireRoom?.()
    const desktop = await claim(me, clusterId, context)
    if (desktop.state === 'ending' || (desktop.state === 'running' && !(await isUp(connection, desktop)))) {
      const [ended] = await end([desktop])
      if (ended === undefined)
        fail('head_node_unavailable', { message: `The last desktop on ${cluster.name} has not ended yet` })
      return ensure(me, clusterId, context)
    }
    if (desktop.state === 'starting') {
      const begun =
        starting.get(desktop.id) ??
        bringUp(connection, desktop, access.isBuiltin(cluster)).finally(() => starting.delete(desktop.id))
      starting.set(desktop.id, begun)
      await begun
    }
    return (await store.find(db.kysely, { id: desktop.id }))[0] ?? fail('not_found')
  }

  const forgetIfGone = async (desktop: StoredDesktop): Promise<void> => {
    if (!(await isUp(await connectionOf(desktop), desktop))) await forget(desktop)
  }

  /** Ends desktops of removed users: nothing can act as them anymore, but their jobs can be canceled. */
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
        if (isPermanent(access.asFailure(error))) await store.remove(db.kysely, id)
      }
  }

  const isLost = async (desktop: StoredDesktop): Promise<boolean> => {
    const person = await personOf(db.kysely, desktop.user_id)
    if (!person) return false
    if (person.end_time && person.end_time.getTime() <= now()) return true
    return access.forPerson(person, desktop.cluster_id).then(
      () => false,
      (error: unknown) => error instanceof Failure && LOST.includes(error.code),
    )
  }

  const sweepOne = async (desktop: StoredDesktop, isConnected: boolean): Promise<void> => {
    const at = now()
    const isIdle = desktop.last_seen_at.getTime() + DESKTOP_IDLE_MS < at
    const isStuck = desktop.state === 'starting' && desktop.created_at.getTime() + STUCK_MS < at
    const isClusterGone = CLUSTER_GONE.includes(desktop.cluster_state)
    if (desktop.state === 'ending' || isIdle || isStuck || isClusterGone || (await isLost(desktop))) {
      const [ended] = await end([desktop])
      if (ended === undefined && isClusterGone) await forget(desktop)
    } else if (
      desktop.state === 'running' &&
      !isConnected &&
      Math.floor(at / 60_000) % PROBE_EVERY_MINUTES === 0
    )
      // An unreachable cluster is probed again later.
      await forgetIfGone(desktop).catch(() => undefined)
  }

  return {
    ensure,
    end,
    forgetIfGone,
    passwordOf,
    async connect(desktop: StoredDesktop) {
      const connection = await connectionOf(desktop)
      return host.connect(connection, desktop.id, passwordOf(desktop)).catch((error: unknown) => {
        throw access.asFailure(error)
      })
    },
    /** Ends desktops that the user lost access to. Those on unreachable clusters are left to the sweep. */
    async endLost(userId: string): Promise<void> {
      const running = (await store.find(db.kysely, { userIds: [userId] })).filter(
        ({ state }) => state !== 'ending',
      )
      for (const desktop of running) if (await isLost(desktop)) await end([desktop])
    },
    /** Ends idle desktops, those whose user lost access, and those that could not be ended before. */
    async sweep(): Promise<void> {
      await store.removeExpired(db.kysely, new Date(now()), seenSince())
      await endOwnerless()
      const all = await store.find(db.kysely, {})
      const viewers = await store.viewersOf(
        db.kysely,
        all.map(({ id }) => id),
        seenSince(),
      )
      const connected = new Set(viewers.map(({ desktop_id }) => desktop_id))
      await eachOf(all, AT_ONCE, (one) => within(SWEEP_ONE_MS, sweepOne(one, connected.has(one.id))))
    },
  }
}
