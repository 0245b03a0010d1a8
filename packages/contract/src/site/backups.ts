import * as z from 'zod/mini'
import { get, post, put } from '../endpoint'
import { Time } from '../lists'

export const BACKUPS_KEPT_MAX = 365

const HOUR = 'Choose an hour from 0 to 23'
const KEEP = `Enter a number from 1 to ${BACKUPS_KEPT_MAX}`

export const BackupSettings = z.object({
  /** Whether a backup is made every day. */
  daily: z.boolean(),
  /** An absolute path on the server. */
  folder: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Enter a folder'),
      z.maxLength(1000, 'The path is too long'),
      z.regex(/^\/[^\0]*$/, 'Enter an absolute path, such as /var/backups/flotilla'),
    ),
  /** In the server's time zone. */
  hour: z.number(HOUR).check(z.int(HOUR), z.minimum(0, HOUR), z.maximum(23, HOUR)),
  /** How many daily backups are kept. */
  keep: z.number(KEEP).check(z.int(KEEP), z.minimum(1, KEEP), z.maximum(BACKUPS_KEPT_MAX, KEEP)),
})
export type BackupSettings = z.infer<typeof BackupSettings>

const BackupKind = z.enum(['daily', 'manual'])

/** A backup that finished, failed or was canceled. */
const EndedBackup = z.object({
  kind: BackupKind,
  beganAt: Time,
  endedAt: Time,
  file: z.string(),
  bytes: z.nullable(z.number()),
  encrypted: z.nullable(z.boolean()),
  /** How many user files are missing from it because they could not be read. */
  skipped: z.nullable(z.number()),
  /** Why it failed, or null. */
  cause: z.nullable(z.string()),
  /** Whether someone canceled it, in which case it does not count as a failure. */
  canceled: z.boolean(),
})

export const BackupProgress = z.object({
  step: z.enum(['database', 'files']),
  rows: z.number(),
  files: z.number(),
  bytes: z.number(),
})

export const BackupStatus = z.object({
  settings: BackupSettings,
  timeZone: z.string(),
  /** When the next daily backup begins, or null if none is scheduled. */
  nextAt: z.nullable(Time),
  /** Whether BACKUP_PASSPHRASE is set on the server. */
  encrypted: z.boolean(),
  inProgress: z.nullable(
    z.object({
      kind: BackupKind,
      beganAt: Time,
      progress: z.nullable(BackupProgress),
      /** Whether it was canceled and is about to end. */
      canceling: z.boolean(),
    }),
  ),
  last: z.nullable(EndedBackup),
  /** The backups in the folder, newest first. */
  files: z.array(z.object({ name: z.string(), bytes: z.number(), madeAt: Time })),
  /** Why the folder cannot be read, or null. */
  folderProblem: z.nullable(z.string()),
})
export type BackupStatus = z.infer<typeof BackupStatus>

export const backups = {
  view: get('/api/backups', {
    summary: 'Get the backup settings, the state of the last backup, and the backups in the folder',
    access: 'admin',
    reply: BackupStatus,
  }),
  set: put('/api/backups/settings', {
    summary: 'Change when backups are made, where they are written and how many are kept',
    access: 'admin',
    tokens: 'never',
    body: z.strictObject(BackupSettings.shape),
    reply: BackupStatus,
    failure: 'form',
  }),
  start: post('/api/backups/start', {
    summary: 'Start a backup now',
    access: 'admin',
    body: z.object({}),
    reply: BackupStatus,
  }),
  cancel: post('/api/backups/cancel', {
    summary: 'Cancel the backup that is in progress',
    access: 'admin',
    body: z.object({}),
    reply: BackupStatus,
  }),
}
