import type { Database } from '../../../db/database'
import { explain } from '../../../explain'
import type { AuditSource, Caller, RequestContext } from '../../../http/caller'
import { record } from '../../activities/activities'
import type { ClusterAccess } from '../../clusters/open'
import { sharedNodesProblem } from '../built-in'
import type { Apps } from '../apps'
import type { AppSessions } from './sessions'
import * as store from '../store'
import { tryOut } from './try-out'
import { isSubmitted, type RunningSession } from './view'

type Options = {
  db: Database
  apps: Apps
  sessions: AppSessions
  clusterAccess: ClusterAccess
  system: AuditSource
}
type Checked = { state: 'ok' | 'warning' | 'failed'; message: string }

/** The actions of a workshop on the apps of its participants. */
export function makeParticipantApps({ db, apps, sessions, clusterAccess, system }: Options) {
  const end = async (row: RunningSession): Promise<void> => {
    const { connection, cluster } = await clusterAccess.forSubmission(row)
    if (row.native_id !== null)
      await clusterAccess.query(connection, connection.scheduler.cancel(row.native_id))
    await db.transaction((tx) =>
      record(tx, null, system, {
        action: 'app ended',
        subject: { kind: 'app', id: row.id, name: row.app_name },
        detail: `of ${row.owner}`,
        clusterId: cluster.id,
      }),
    )
    clusterAccess.kick(cluster.id)
  }
  const sessionsOf = async (userIds: string[]): Promise<RunningSession[]> =>
    userIds.length === 0 ? [] : (await store.openSessionsOf(db.kysely, userIds)).filter(isSubmitted)

  return {
    /** Ends the sessions of these users, on one cluster if given. Returns how many were ended. */
    async end({
      userIds,
      clusterId,
    }: {
      userIds: string[]
      clusterId?: string | undefined
    }): Promise<number> {
      const rows = (await sessionsOf(userIds)).filter(
        (row) => clusterId === undefined || row.cluster_id === clusterId,
      )
      // If a cluster does not respond, the session ends at its time limit or with the account that it runs as.
      const done = await Promise.allSettled(rows.map(end))
      return done.filter(({ status }) => status === 'fulfilled').length
    },
    listOf: async (userId: string): Promise<{ id: string; name: string; cluster: string }[]> =>
      (await sessionsOf([userId])).map(({ id, app_name, cluster_name }) => ({
        id,
        name: app_name,
        cluster: cluster_name,
      })),
    running: async (userIds: string[]): Promise<{ id: string; userId: string }[]> =>
      (await sessionsOf(userIds)).map(({ id, owner_id }) => ({ id, userId: owner_id })),

    /**
     * Checks whether participants can start these apps on the cluster. Each app that runs in a session is started once.
     */
    async check(me: Caller, clusterId: string, appIds: string[], context: RequestContext): Promise<Checked> {
      const cluster = await clusterAccess.forSubmitting(me, clusterId)
      const all = await apps.list(me)
      const missing = appIds.filter((id) => !all.some((app) => app.id === id))
      const closed = all.filter(
        ({ id, allowedRoles }) => appIds.includes(id) && !allowedRoles.includes('participant'),
      )
      if (missing.length > 0)
        return { state: 'failed', message: `${missing.length} of its apps were deleted. Choose others.` }
      if (closed.length > 0)
        return {
          state: 'failed',
          message: `Participants cannot start ${closed.map(({ name }) => name).join(', ')}. Allow it in Apps.`,
        }
      const shares = !clusterAccess.isBuiltin(cluster)
      const chosen = all.filter(({ id, opens }) => appIds.includes(id) && opens === 'session')
      const [problem] = chosen.flatMap((app) => sharedNodesProblem(app, shares) ?? [])
      if (problem !== undefined) return { state: 'failed', message: problem }
      const tried = await Promise.all(
        chosen.map((app) =>
          tryOut(sessions, { app, cluster: clusterId }, me, context).catch(
            (error: unknown) => `${app.name}: ${explain(error)}`,
          ),
        ),
      )
      const problems = tried.filter((one) => one !== null)
      return problems.length > 0
        ? { state: 'warning', message: problems.join('. ') }
        : { state: 'ok', message: 'All apps started' }
    },
  }
}
