import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { BackupProgress, BackupSettings, type BackupStatus } from '@flotilla/contract/site/backups'
import { changesOf } from '../../changes'
import { removeDrafts, writeBackup, type BackupResult } from '../../backup/backup'
import type { ServerConfig } from '../../config'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { AuditSource, Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import type { Queue } from '../../queue/queue'
import { defineTask, handle, type Handler, type Run } from '../../queue/task'
import { record, type Actor } from '../activities/activities'
import { defaultFolder, fileName, listFolder, makeFolder, requireUsable } from './folder'
import { lastDue, nextDue } from './schedule'
import * as store from './store'

const PROGRESS_MS = 1000
const REMEMBERED_MS = 90 * 24 * 3600_000

const backupTask = defineTask('backup', z.object({ run: z.string() }))

/** What is stored. Without it the daily backup is off. */
const Stored = z.object({ ...z.partial(BackupSettings).shape, changedAt: z.optional(z.number()) })

type Options = {
  config: Pick<ServerConfig, 'dataDir' | 'masterKeyFile' | 'backupPassphrase'>
  db: Database
  queue: Queue
  /** The source of what the console does on its own. */
  system: AuditSource
  log: Logger
  now: () => number
}

const subjectOfRun = ({ id, kind }: { id: string; kind: string }) => ({
  kind: 'backup' as const,
  id,
  name: `${kind} backup`,
})

export type Backups = ReturnType<typeof makeBackups>
/**
 * Backups that the server writes itself: every day, or on request. One at a time on all servers together. The passphrase is
 * that of the environment; it is never stored.
 */
export function makeBackups({ config, db, queue, system, log, now }: Options) {
  const { dataDir, masterKeyFile, backupPassphrase: passphrase } = config

  const stored = async () => {
    const { changedAt = 0, ...chosen } = Stored.parse(await store.settings(db.kysely))
    const settings: BackupSettings = {
      daily: false,
      folder: defaultFolder(dataDir),
      hour: 2,
      keep: 14,
      ...chosen,
    }
    return { settings, changedAt }
  }

  const view = async (): Promise<BackupStatus> => {
    const { settings } = await stored()
    const [running, last, found] = await Promise.all([
      store.inProgress(db.kysely),
      store.last(db.kysely),
      listFolder(settings.folder),
    ])
    return {
      settings,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      nextAt: settings.daily ? nextDue(now(), settings.hour) : null,
      encrypted: passphrase !== undefined,
      inProgress: running
        ? {
            kind: running.kind,
            beganAt: running.began_at.getTime(),
            progress: z.nullable(BackupProgress).parse(running.progress),
          }
        : null,
      last: last ? endedBackup(last) : null,
      ...found,
    }
  }

  /** The run, or undefined when one is in progress. */
  const begin = async (tx: Transaction, kind: 'daily' | 'manual', folder: string, actor: Actor) => {
    const at = new Date(now())
    const run = {
      id: newId(),
      kind,
      actor_id: actor?.id ?? null,
      actor: actor?.username ?? null,
      began_at: at,
    }
    if (!(await store.begin(tx, { ...run, file: path.join(folder, fileName(kind, at)) }))) return undefined
    await queue.add(tx, backupTask, { run: run.id })
    return run
  }

  const end = async (run: store.BackupRun, result: BackupResult | null, cause: string | null) =>
    db.transaction(async (tx) => {
      const skipped = result?.skipped.length ?? null
      const ending = { bytes: result?.bytes ?? null, encrypted: result?.encrypted ?? null, skipped, cause }
      if (!(await store.end(tx, run.id, { ...ending, ended_at: new Date(now()) }))) return
      const actor = run.actor_id && run.actor ? { id: run.actor_id, username: run.actor } : null
      const action = cause === null ? 'backed up' : 'backup failed'
      await record(tx, actor, system, { action, subject: subjectOfRun(run), detail: cause ?? run.file })
    })

  /** A server that was killed left it half done: it is done again from the beginning. */
  const work = async ({ run: id }: { run: string }, { signal }: Run): Promise<void> => {
    const run = await store.inProgress(db.kysely)
    if (run?.id !== id) return
    let notedAt = 0
    try {
      await makeFolder(path.dirname(run.file))
      await removeDrafts(run.file)
      const result = await writeBackup({
        file: run.file,
        // Its name is its own: what has it is the work of this run, which could not say so.
        overwrite: true,
        databaseUrl: db.url,
        dataDir,
        masterKeyFile,
        passphrase,
        now,
        signal,
        onProgress({ step, rows, files, bytes }) {
          if (Date.now() - notedAt < PROGRESS_MS) return
          notedAt = Date.now()
          store
            .noteProgress(db.kysely, id, { step, rows, files, bytes })
            .catch((error: unknown) => log.debug({ err: error }, 'could not save the progress of a backup'))
        },
      })
      await end(run, result, null)
      await removeBeyond()
    } catch (error) {
      // The server stops: another one, or this one after its start, does it.
      if (signal.aborted) throw error
      log.error({ err: error }, 'a backup failed')
      await end(run, null, error instanceof Error ? error.message : String(error))
    }
  }

  const removeBeyond = async () => {
    const { settings } = await stored()
    for (const { id, file } of await store.beyond(db.kysely, settings.keep)) {
      await rm(file, { force: true })
      await store.forget(db.kysely, id)
    }
    await store.forgetOld(db.kysely, new Date(now() - REMEMBERED_MS))
  }

  const handler: Handler = { ...handle(backupTask, work), long: true }

  return {
    handler,
    view,
    async set(me: Caller, body: BackupSettings, context: RequestContext): Promise<BackupStatus> {
      const settings = { ...body, folder: await requireUsable(body.folder, dataDir) }
      await context.transaction(async (tx) => {
        const { settings: before } = await stored()
        await store.setSettings(tx, { ...settings, changedAt: now() })
        const detail = settings.daily
          ? `daily at ${settings.hour}:00 to ${settings.folder}, ${settings.keep} kept`
          : `no daily backup, folder ${settings.folder}`
        await record(tx, me, context, {
          action: 'changed',
          subject: { kind: 'settings', id: 'backup', name: 'backup settings' },
          detail,
          changes: changesOf(before, settings),
        })
      })
      return view()
    },
    async start(me: Caller, context: RequestContext): Promise<BackupStatus> {
      const { settings } = await stored()
      await context.transaction(async (tx) => {
        const run =
          (await begin(tx, 'manual', settings.folder, me)) ??
          fail('wrong_state', { message: 'A backup is already in progress' })
        await record(tx, me, context, { action: 'backup started', subject: subjectOfRun(run) })
      })
      return view()
    },
    /** Begins the daily backup when it is due: also when no server ran at that hour. */
    async sweep(): Promise<void> {
      const { settings, changedAt } = await stored()
      const due = lastDue(now(), settings.hour)
      if (!settings.daily || changedAt > due) return
      const began = await store.lastDailyBegan(db.kysely)
      if (began !== null && began.getTime() >= due) return
      await db.transaction((tx) => begin(tx, 'daily', settings.folder, null))
    },
  }
}

const endedBackup = (run: store.BackupRun): BackupStatus['last'] => ({
  kind: run.kind,
  beganAt: run.began_at.getTime(),
  endedAt: (run.ended_at ?? run.began_at).getTime(),
  file: run.file,
  bytes: run.bytes,
  encrypted: run.encrypted,
  skipped: run.skipped,
  cause: run.cause,
})
