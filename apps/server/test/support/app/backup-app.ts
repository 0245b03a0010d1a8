import path from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { backups } from '@flotilla/contract/site/backups'
import { requireSameKey } from '../../../src/db/maintenance/same-key'
import { markOf, openMasterKey } from '../../../src/secrets/secrets'
import { testApp } from './app'
import { testLog } from '../log'
import { until } from '../until'

/** The application as it is with its key, an admin, and what the queue would do about backups done by `work`. */
export async function backupApp(env: Record<string, string> = {}) {
  const app = await testApp(env)
  onTestFinished(() => app.close())
  await requireSameKey(app.db, markOf(await openMasterKey(path.join(app.dataDir, 'master.key'))))
  let { token } = await app.person('chief', ['admin'])
  const handler = app.app.tasks.find(({ task }) => task.name === 'backup')
  const { log } = testLog()
  /** Whether there was something to do. */
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
    /** Sessions do not last that long. */
    async later(ms: number) {
      app.advance(ms)
      token = await app.login('chief')
    },
    view: () => app.must(backups.view, {}, { token }),
    /** Backups hang at a table from now on, until the answer is called. */
    async hang() {
      const holder = new pg.Client({ connectionString: app.db.url })
      await holder.connect()
      onTestFinished(() => holder.end())
      await holder.query('create table held (n int)')
      await holder.query('begin; lock table held')
      return () => holder.query('rollback')
    },
    /** Resolves with the process of the database that waits at that table. */
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
