import type * as z from 'zod/mini'
import { valueProblem, type App } from '@flotilla/contract/apps/apps'
import { APP_SESSIONS_MAX, type AppLaunch, type AppSession } from '@flotilla/contract/apps/sessions'
import { walltimeSeconds } from '@flotilla/contract/jobs/jobs'
import type { Database, Transaction } from '../../../db/database'
import type { Viewer } from '../../../db/visible'
import { fail } from '../../../fail'
import type { Caller, RequestContext, SessionCaller } from '../../../http/caller'
import { newId } from '../../../ids'
import { notifyIdentityChanged } from '../../../live/live'
import { record } from '../../activities/activities'
import type { ClusterAccess } from '../../clusters/open'
import type { JobsApi } from '../../jobs/open'
import { finders, makeShareRecorded, notifyPeople, peopleOf, viewerOf } from '../../sharing/sharing'
import { sharedNodesProblem } from '../built-in'
import type { Apps } from '../apps'
import { launchScript } from './launch-script'
import * as store from '../store'
import type { Tickets } from './tickets'
import { asSession, isSubmitted, stateOf, type RunningSession } from './view'

type Row = store.FoundSession
type Options = {
  db: Database
  apps: Apps
  jobs: JobsApi
  clusterAccess: ClusterAccess
  tickets: Tickets
  now: () => number
}

const LISTED = 200
const LOG_BYTES = 200_000
const LOG = 'output.txt'

const subjectOf = ({ id, app_name }: Pick<Row, 'id' | 'app_name'>) =>
  ({ kind: 'app', id, name: app_name }) as const

/** Even admins see the sessions of other users only in admin scope. */
const withScope = (viewer: Viewer, adminScope: boolean): Viewer => ({ ...viewer, admin: adminScope })

export const notifySession = (tx: Transaction, row: Row): Promise<void> =>
  notifyPeople(tx, 'apps', peopleOf(row))

export type AppSessions = ReturnType<typeof makeAppSessions>
/** Running apps. Each is a job, whose state determines that of the session. */
export function makeAppSessions({ db, apps, jobs, clusterAccess, tickets, now }: Options) {
  const { find, mine } = finders('session', (id, viewer, adminScope) =>
    store.findSession(db.kysely, id, withScope(viewer, adminScope)),
  )
  const running = (row: Row): RunningSession =>
    isSubmitted(row) && row.ended_at === null
      ? row
      : fail('wrong_state', { message: 'This session is not running anymore' })
  const view = async (me: Caller, id: string, context?: RequestContext): Promise<AppSession> =>
    asSession(await find(me, id, context), me, now())

  /** Validates the values of all fields. Every invalid one is reported. */
  const checkedValues = (app: App, given: Record<string, string>): Record<string, string> => {
    const problems: Record<string, string> = {}
    for (const name of Object.keys(given))
      if (!app.fields.some((field) => field.name === name))
        problems[`values.${name}`] = `${app.name} has no such field`
    const values = app.fields.map((field) => {
      const value = given[field.name] ?? field.default
      const problem = valueProblem(field, value)
      if (problem) problems[`values.${field.name}`] = problem
      return [field.name, value] as const
    })
    if (Object.keys(problems).length > 0) fail('bad_input', { fields: problems })
    return Object.fromEntries(values)
  }

  return {
    view,
    async list(me: Caller, context: RequestContext): Promise<AppSession[]> {
      const viewer = withScope(viewerOf(me), context.adminScope)
      const rows = await store.listSessions(db.kysely, viewer, LISTED)
      return rows.map((row) => asSession(row, me, now()))
    },

    async launch(
      me: Caller,
      input: z.output<typeof AppLaunch>,
      context: RequestContext,
    ): Promise<AppSession> {
      const app = await apps.startable(me, input.app)
      if (app.opens !== 'session')
        fail('bad_input', { fields: { app: 'Open the desktop from the page of the cluster' } })
      const values = checkedValues(app, input.values)
      const { cores, gpus, walltime } = input.resources ?? app.resources
      const cluster = await clusterAccess.forSubmitting(me, input.cluster)
      const problem = sharedNodesProblem(app, !clusterAccess.isBuiltin(cluster))
      if (problem !== null) fail('bad_input', { fields: { cluster: problem } })
      if ((await store.countOpen(db.kysely, me.id)) >= APP_SESSIONS_MAX)
        fail('wrong_state', { message: `You have ${APP_SESSIONS_MAX} sessions. End one first.` })
      const id = newId()
      const script = launchScript(
        app,
        values,
        `${tickets.originOf(id, await tickets.consoleOrigin(context))}/`,
      )
      const data = { cores, gpus, walltime, nodes: 1, array: '', script }
      const job = await jobs.jobs.create(
        me,
        { name: app.name, description: 'Started from Apps', data },
        context,
      )
      await context.transaction(async (tx) => {
        await store.insertSession(tx, {
          id,
          job_id: job.id,
          owner_id: me.id,
          app_id: app.id,
          app_name: app.name,
          icon: app.icon,
          ready: JSON.stringify(app.ready),
          allowed_roles: app.allowedRoles,
          limit_s: walltimeSeconds(walltime),
          created_at: new Date(now()),
          ready_at: null,
          closed_at: null,
        })
        await record(tx, me, context, {
          action: 'app started',
          subject: subjectOf({ id, app_name: app.name }),
          clusterId: input.cluster,
        })
      })
      try {
        await jobs.submissions.submit(me, { id: job.id, cluster: input.cluster, runAsAdmin: false }, context)
      } catch (error) {
        // A rejected submission leaves no session; one whose outcome is unknown remains and waits.
        await jobs.jobs.remove(me, job.id, context).catch(() => {})
        throw error
      }
      await db.transaction(async (tx) => notifyPeople(tx, 'apps', [me.id]))
      return view(me, id)
    },

    /** Returns an address that opens the session once, in the browser of this login. */
    async open(
      me: SessionCaller,
      id: string,
      context: RequestContext,
    ): Promise<{ url: string; expiresAt: number }> {
      const row = await find(me, id)
      if (stateOf(row, now()) !== 'ready')
        fail('wrong_state', { message: `${row.app_name} is not ready yet. Check its state.` })
      const origin = await tickets.consoleOrigin(context)
      return context.transaction(async (tx) => {
        await record(tx, me, context, { action: 'app opened', subject: subjectOf(row) })
        return tickets.make(tx, { session: id, user: me.id, login: me.sessionId, origin })
      })
    },

    async extend(me: Caller, id: string, minutes: number, context: RequestContext): Promise<AppSession> {
      const row = running(await mine(me, id, context))
      // The cluster's admin account extends the job, so the owner's access to the cluster is checked here.
      if (row.owner_id === me.id) await clusterAccess.outputCluster(me, row)
      const seconds = row.limit_s + minutes * 60
      await context.recheck()
      await clusterAccess.withUserFacingErrors(
        clusterAccess.asAdmin(
          { ...row, id: row.submission_id, account: row.account ?? '' },
          (scheduler, number) => scheduler.extend(number, seconds),
        ),
      )
      await db.transaction(async (tx) => {
        await store.updateSession(tx, id, { limit_s: seconds })
        await record(tx, me, context, {
          action: 'app extended',
          subject: subjectOf(row),
          detail: `by ${minutes} minutes`,
        })
        await notifySession(tx, row)
      })
      return view(me, id, context)
    },

    share: makeShareRecorded(
      'app_sessions',
      (row: Row) => ({ action: 'app shared', subject: subjectOf(row) }),
      {
        async mine(me, id) {
          const row = await find(me, id)
          // Not even an admin may share a session, because it runs with its owner's rights.
          if (row.owner_id !== me.id)
            fail('forbidden', { message: `Only ${row.owner} can share this session` })
          return row
        },
        view,
        async notify(tx, _row, { people, removed }) {
          await notifyPeople(tx, 'apps', people)
          // Ends what the users who lost access have open, on every server.
          for (const other of removed) await notifyIdentityChanged(tx, other)
        },
      },
    ),

    async end(me: Caller, id: string, context: RequestContext): Promise<AppSession> {
      const row = running(await mine(me, id, context))
      await jobs.submissions.cancel(
        me,
        { job: row.submission_id, cluster: row.cluster_id ?? '', purge: false },
        context,
      )
      await db.transaction(async (tx) => {
        await record(tx, me, context, { action: 'app ended', subject: subjectOf(row) })
        await notifySession(tx, row)
      })
      return view(me, id, context)
    },

    async remove(me: Caller, id: string, context: RequestContext): Promise<void> {
      const row = await mine(me, id, context)
      if (stateOf(row, now()) !== 'ended') fail('wrong_state', { message: 'End the session first' })
      await context.transaction(async (tx) => {
        await store.removeSession(tx, id)
        await notifySession(tx, row)
      })
    },

    /** The output of a session, which only its owner may read. */
    async log(me: Caller, id: string, from: number): Promise<{ text: string; next: number; size: number }> {
      const row = await find(me, id)
      if (row.owner_id !== me.id) fail('forbidden', { message: `Only ${row.owner} can read this log` })
      if (!isSubmitted(row)) return { text: '', next: 0, size: 0 }
      const piece = jobs.outputs.piece(me, row.job_id, row.submission_id, LOG, from, LOG_BYTES)
      const { text, next, size } = await piece.catch((error: unknown) =>
        // There is no output before the job has started.
        row.started_at === null ? { text: '', next: 0, size: 0 } : Promise.reject(error),
      )
      return { text, next, size }
    },
  }
}
