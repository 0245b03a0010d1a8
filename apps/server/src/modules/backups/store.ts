import type { Selectable } from 'kysely'
import type * as z from 'zod/mini'
import type { BackupProgress } from '@flotilla/contract/site/backups'
import type { BackupRunRow } from '../../db/tables/site'
import type { Queryable, Transaction } from '../../db/database'

export const settings = async (db: Queryable): Promise<unknown> =>
  (await db.selectFrom('site_settings').select('backup').executeTakeFirstOrThrow()).backup

export const setSettings = (db: Queryable, backup: object) =>
  db
    .updateTable('site_settings')
    .set({ backup: JSON.stringify(backup) })
    .execute()

/** Ensures that only one transaction at a time begins a backup. */
export const lockSettings = (tx: Transaction) =>
  tx.selectFrom('site_settings').select('only_row').forUpdate().execute()

export type BackupRun = Selectable<BackupRunRow>
export const last = (db: Queryable) =>
  db
    .selectFrom('backup_runs')
    .selectAll()
    .where('ended_at', 'is not', null)
    .orderBy('began_at', 'desc')
    .limit(1)
    .executeTakeFirst()

export const lastDailyBegan = async (db: Queryable): Promise<Date | null> =>
  (
    await db
      .selectFrom('backup_runs')
      .select('began_at')
      .where('kind', '=', 'daily')
      .orderBy('began_at', 'desc')
      .limit(1)
      .executeTakeFirst()
  )?.began_at ?? null

export const noteProgress = (db: Queryable, id: string, progress: z.infer<typeof BackupProgress>) =>
  db
    .updateTable('backup_runs')
    .set({ progress: JSON.stringify(progress) })
    .where('id', '=', id)
    .execute()

type BackupOutcome = Pick<BackupRunRow, 'bytes' | 'encrypted' | 'skipped'>
export const noteResult = (tx: Transaction, id: string, outcome: BackupOutcome) =>
  tx
    .updateTable('backup_runs')
    .set({ ...outcome, progress: null })
    .where('id', '=', id)
    .execute()

/** The files of daily backups beyond those that are kept: only files that this site itself has written. */
export const beyond = (db: Queryable, keep: number) =>
  db
    .selectFrom('backup_runs')
    .select(['id', 'file'])
    .where('kind', '=', 'daily')
    .where('ended_at', 'is not', null)
    .where('cause', 'is', null)
    .orderBy('began_at', 'desc')
    .offset(keep)
    .execute()

/** Forgets a run whose file is gone. */
export const forget = (db: Queryable, id: string) =>
  db.deleteFrom('backup_runs').where('id', '=', id).execute()

/** Forgets old failures and manual backups, which are shown only while they are the last run. */
export const forgetOld = (db: Queryable, before: Date) =>
  db
    .deleteFrom('backup_runs')
    .where('ended_at', '<', before)
    .where((row) => row.or([row('kind', '=', 'manual'), row('cause', 'is not', null)]))
    .execute()
