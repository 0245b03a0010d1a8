import path from 'node:path'
import type { Logger } from 'pino'
import { removeDrafts, writeBackup, type BackupResult } from '../../backup/backup'
import type { WritingProgress } from '../../backup/progress'
import type { ServerConfig } from '../../config'
import type { Database } from '../../db/database'
import type { AuditSource } from '../../http/caller'
import { record } from '../activities/activities'
import { defineRuns, makeRuns } from '../runs/runs'
import { makeFolder } from './folder'
import * as store from './store'

export const backupRuns = defineRuns('backup', 'backup', 'backup_runs')
/** Every backup covers the whole site, so only one runs at a time. */
export const SITE = 'site'

const HOUR_MS = 3600_000
/** Shorter than a day, so that it ends before the next daily backup is due. */
const LIMIT_MS = 20 * HOUR_MS
const OVERDUE_MS = 22 * HOUR_MS
/** Short, because a hung folder does not respond no matter how long the run waits. */
const GRACE_MS = 60_000
const PROGRESS_MS = 1000

const logLevels = { info: 'info', warning: 'warn', error: 'error' } as const

export const subjectOfRun = ({ id, kind }: Pick<store.BackupRun, 'id' | 'kind'>) => ({
  kind: 'backup' as const,
  id,
  name: `${kind} backup`,
})

type Options = {
  config: Pick<ServerConfig, 'dataDir' | 'masterKeyFile' | 'backupPassphrase'>
  db: Database
  /** Called after a backup that succeeded. */
  removeOlder(): Promise<void>
  /** The audit source of actions by the console itself. */
  system: AuditSource
  log: Logger
  now: () => number
}

/** Runs backups. They write to the server's log. */
export function makeBackupRuns({ config, db, removeOlder, system, log, now }: Options) {
  const { dataDir, masterKeyFile, backupPassphrase: passphrase } = config

  /** Stores the progress of a run for the page to show, at most once a second. */
  const progressOf = (runId: string) => {
    let notedAt = 0
    return ({ step, rows, files, bytes }: WritingProgress) => {
      if (Date.now() - notedAt < PROGRESS_MS) return
      notedAt = Date.now()
      store
        .noteProgress(db.kysely, runId, { step, rows, files, bytes })
        .catch((error: unknown) => log.debug({ err: error }, 'could not save the progress of a backup'))
    }
  }

  return makeRuns(backupRuns, {
    db,
    now,
    overdueMs: OVERDUE_MS,
    find: async (site) => site,
    work: (_site, { id, file }) => ({
      limitMs: LIMIT_MS,
      graceMs: GRACE_MS,
      /** An interrupted backup starts over. */
      async step({ cancel, detach }): Promise<BackupResult> {
        await makeFolder(path.dirname(file))
        await removeDrafts(file)
        return writeBackup({
          file,
          // The file name is unique to this run, so an existing file was written by it before an interruption.
          overwrite: true,
          databaseUrl: db.url,
          dataDir,
          masterKeyFile,
          passphrase,
          now,
          signal: AbortSignal.any([cancel, detach]),
          onProgress: progressOf(id),
        })
      },
    }),
    async write(_tx, _site, { file }, lines) {
      for (const { text, level } of lines) log[logLevels[level]]({ backup: file }, text)
    },
    async finish(tx, _site, { run, cause, result, actor }) {
      await store.noteResult(tx, run.id, {
        bytes: result?.bytes ?? null,
        encrypted: result?.encrypted ?? null,
        skipped: result?.skipped.length ?? null,
      })
      // The cancellation was already recorded.
      if (cause !== null && (await backupRuns.find(tx, run.id))?.cancel_asked) return
      const action = cause === null ? 'backed up' : 'backup failed'
      await record(tx, actor, system, { action, subject: subjectOfRun(run), detail: cause ?? run.file })
    },
    async afterEnd({ id }) {
      const ended = await backupRuns.find(db.kysely, id)
      if (ended?.cause !== null) return
      await removeOlder().catch((error: unknown) =>
        log.error({ err: error }, 'older backups were not removed'),
      )
    },
  })
}
