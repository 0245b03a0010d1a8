import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { BackupProgress, BackupSettings, type BackupStatus } from '@flotilla/contract/site/backups'
import { changesOf } from '../../changes'
import type { ServerConfig } from '../../config'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { AuditSource, Caller, RequestContext } from '../../http/caller'
import type { Queue } from '../../queue/queue'
import { record, type Actor } from '../activities/activities'
import { defaultFolder, fileName, listFolder, requireUsable } from './folder'
import { backupRuns, makeBackupRuns, SITE, subjectOfRun } from './runs'
import { lastDue, nextDue } from './schedule'
import * as store from './store'

const REMEMBERED_MS = 90 * 24 * 3600_000

/** The stored settings. Without them, the daily backup is off. */
const Stored = z.object({ ...z.partial(BackupSettings).shape, changedAt: z.optional(z.number()) })

type Options = {
  config: Pick<ServerConfig, 'dataDir' | 'masterKeyFile' | 'backupPassphrase'>
  db: Database
  queue: Queue
  /** The audit source of actions by the console itself. */
  system: AuditSource
  log: Logger
  now: () => number
}

export type Backups = ReturnType<typeof makeBackups>
/**
 * Backups that the server writes: daily or on request, one at a time across all servers. The passphrase comes from the
 * environment and is never stored.
 */
export function makeBackups({ config, db, queue, system, log, now }: Options) {
  const { dataDir, backupPassphrase: passphrase } = config

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
      backupRuns.current(db.kysely, SITE),
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
            canceling: running.cancel_asked,
          }
        : null,
      last: last ? endedBackup(last) : null,
      ...found,
    }
  }

  /** Begins a run; undefined if one is in progress. */
  const begin = async (tx: Transaction, kind: 'daily' | 'manual', folder: string, actor: Actor) => {
    await store.lockSettings(tx)
    if (await backupRuns.current(tx, SITE)) return undefined
    const at = new Date(now())
    const file = path.join(folder, fileName(kind, at))
    return { id: await backupRuns.begin(tx, queue, SITE, { actor, at, kind, file }), kind }
  }

  const removeOlder = async () => {
    const { settings } = await stored()
    for (const { id, file } of await store.beyond(db.kysely, settings.keep)) {
      await rm(file, { force: true })
      await store.forget(db.kysely, id)
    }
    await store.forgetOld(db.kysely, new Date(now() - REMEMBERED_MS))
  }

  const runs = makeBackupRuns({ config, db, removeOlder, system, log, now })

  return {
    handler: runs.handler,
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
    async cancel(me: Caller, context: RequestContext): Promise<BackupStatus> {
      await context.transaction(async (tx) => {
        const run =
          (await backupRuns.current(tx, SITE)) ?? fail('wrong_state', { message: 'No backup is in progress' })
        await backupRuns.requestCancel(tx, SITE)
        await record(tx, me, context, { action: 'backup canceled', subject: subjectOfRun(run) })
      })
      return view()
    },
    /** Begins the daily backup when it is due, even if no server was running at its hour. */
    async sweep(): Promise<void> {
      await runs.sweep()
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
  canceled: run.cause !== null && run.cancel_asked,
})
