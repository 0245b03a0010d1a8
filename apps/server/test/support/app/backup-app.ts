import path from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { backups } from '@flotilla/contract/site/backups'
import { requireSameKey } from '../../../src/db/maintenance/same-key'
import { markOf, openMasterKey } from '../../../src/secrets/secrets'
import { testApp } from './app'
import { testLog } from '../log'
import { until } from '../until'

/** The application with its master key stored and an admin; `work` carries out the queued backup task. */
export async function backupApp(env: Record<string, string> = {}) {
  const app = await testApp(env)
  onTestFinished(() => app.close())
  await requireSameKey(app.db, markOf(await openMasterKey(path.join(app.dataDir, 'master.key'))))
  let { token } = await app.person('chief', ['admin'])
  const handler = app.app.tasks.find(({ task }) => task.name === 'backup')
  const { log } = testLog()
  /** Runs the pending backup; resolves with whether there was one. */
  const work = async (signal = new AbortController().signal, attempt = 1) => {
    const run = await app.db.kysely
      .selectFrom('backup_runs')
      .select('id')
      .where('ended_at', 'is', null)
      .executeTakeFirst()
    if (run) await handler?.run({ run: run.id }, { id: '1', attempt, lastAttempt: false, signal, log })
    return run !== undefined
  }
  return {
    ...app,
    token,
    work,
    /** Advances the clock and logs in again, as the session may expire meanwhile. */
    async later(ms: number) {
      app.advance(ms)
      token = await app.login('chief')
    },
    view: () => app.must(backups.view, {}, { token }),
    /** Makes backups wait for a locked table until the returned function is called. */
    async hang() {
      const holder = new pg.Client({ connectionString: app.db.url })
      await holder.connect()
      onTestFinished(() => holder.end())
      await holder.query('create table held (n int)')
      await holder.query('begin; lock table held')
      return () => holder.query('rollback')
    },
    /** Resolves with the pid of the database process that waits for that table. */
    hanging: () =>
      until(
        async () =>
          (
            await app.db.pool.query<{ pid: number }>(
              `select pid from pg_stat_activity where datname = current_database()
                and application_name = 'flotilla backup' and wait_event_type = 'Lock'`,
            )
          ).rows[0]?.pid,
      ),
    cancel: () => app.must(backups.cancel, { body: {} }, { token }),
    startNow: () => app.must(backups.start, { body: {} }, { token }),
    set: (body: Partial<Parameters<typeof app.must<typeof backups.set>>[1]['body']>) =>
      app.must(
        backups.set,
        { body: { daily: true, folder: path.join(app.dataDir, 'backups'), hour: 2, keep: 2, ...body } },
        { token },
      ),
    trail: async () =>
      (
        await app.db.kysely
          .selectFrom('activities')
          .select(['actor', 'action', 'subject'])
          .orderBy('id')
          .execute()
      ).map(({ actor, action, subject }) => `${actor ?? 'the server'} ${action} ${subject}`),
  }
}
