import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import { syncFolder, writeDurably } from '@flotilla/system/durable-file'
import { dedicatedClient, type DedicatedClient } from '../db/maintenance/dump'
import { startEmbedded } from '../db/embedded/embedded'
import { beginLoad, forgetRestore, isEmptyDatabase, restoreNote, type Loader } from '../db/maintenance/load'
import { migrate, unknownMigration, type Migration } from '../db/migrate'
import { lockSite } from '../db/maintenance/site-lock'
import { addTasks, prepareQueue, StoredTasks } from '../queue/stored-tasks'
import { BackupError } from './error'
import type { OnProgress } from './progress'
import { openBackup, Rows, Sequences, verify, type Backup } from './read-backup'
import type { Manifest, Reading } from './records'
import { beginIn, endIn, requireEmpty } from './target'
import { fileWriter } from './write-files'

const run = promisify(execFile)

export type RestoreOptions = {
  file: string
  passphrase: string | undefined
  dataDir: string
  masterKeyFile: string
  /** Undefined restores into the embedded database. */
  databaseUrl: string | undefined
  /** The migrations of this version. */
  migrations: Migration[]
  log: Logger
  onProgress?: OnProgress
}
export type RestoreResult = { version: string; createdAt: number; rows: number; files: number }

/**
 * Restores a site from its backup. All problems are found before anything is changed: the file is read to its end, and
 * the folder and the database must be empty. The rows are loaded in one transaction. A restore that is killed leaves a
 * marker, by which the next one recognizes what it finds as its own.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreResult> {
  const { file, passphrase, dataDir, masterKeyFile, databaseUrl, migrations, onProgress } = options
  const backup = await openBackup(file, passphrase)
  const manifest = await verify(backup, onProgress)
  requireKnown(manifest, migrations, backup.header.version)
  const interrupted = await requireEmpty(dataDir, masterKeyFile)
  const id = interrupted ?? randomUUID()
  const external = databaseUrl === undefined ? undefined : await emptyDatabase(databaseUrl, interrupted)
  try {
    const homes = await beginIn(dataDir, id)
    const embedded = external ? undefined : await startEmbedded(dataDir, options.log)
    try {
      const url = databaseUrl ?? embedded?.url ?? ''
      const client = external?.client ?? (await dedicatedClient(url, 'flotilla restore'))
      const writer = fileWriter({ data: dataDir, homes, previousHomes: manifest.homes })
      const applied = migrations.slice(0, manifest.migrations.length)
      // The rows of an interrupted restore are all there or not at all.
      const loader =
        (await restoreNote(client)) === id
          ? undefined
          : await beginDatabase(client, url, applied, id, options.log)
      const counts = await load(backup, { client, loader, writer, masterKeyFile }, onProgress)
      await migrate({ url }, migrations)
      await writer.finish()
      // Syncs everything at once: one file at a time would take minutes for a site with many.
      await run('sync', ['-f', dataDir, homes]).catch(() => run('sync'))
      await endIn(dataDir)
      await syncFolder(dataDir)
      await forgetRestore(client)
      if (!external) await client.end()
      return { version: backup.header.version, createdAt: backup.header.createdAt, ...counts }
    } finally {
      await embedded?.stop()
    }
  } finally {
    await external?.release()
  }
}

function requireKnown({ migrations: applied }: Manifest, migrations: Migration[], version: string): void {
  const unknown = unknownMigration(applied, migrations)
  if (unknown)
    throw new BackupError(
      `This backup was made by a newer version of Flotilla (${version}): it has migration ${unknown.id} ` +
        `(${unknown.name}), and this version knows ${migrations.length}. Restore it with that version.`,
    )
}

/** Locks an external database, which must be unused and either empty or left behind by the interrupted restore. */
async function emptyDatabase(url: string, interrupted: string | null) {
  const lock = await lockSite(url)
  if (!lock) throw new BackupError('A Flotilla server is using the database at DATABASE_URL. Stop it first.')
  const isOurs = interrupted !== null && (await restoreNote(lock.client)) === interrupted
  if (isOurs || (await isEmptyDatabase(lock.client))) return lock
  await lock.release()
  throw new BackupError('The database at DATABASE_URL is not empty. Restore into a new database.')
}

async function beginDatabase(
  client: DedicatedClient,
  url: string,
  applied: Migration[],
  id: string,
  log: Logger,
): Promise<Loader> {
  await prepareQueue(url, log)
  return beginLoad(client, applied, id)
}

type Into = {
  client: DedicatedClient
  /** Undefined if the rows are already loaded. */
  loader: Loader | undefined
  writer: ReturnType<typeof fileWriter>
  masterKeyFile: string
}

async function load(backup: Backup, into: Into, onProgress: OnProgress | undefined) {
  const { client, loader, writer, masterKeyFile } = into
  const counts = { rows: 0, files: 0 }
  const writeKey = async (body: Reading['body']) => {
    const bytes: Buffer[] = []
    for await (const part of body) bytes.push(part)
    await mkdir(path.dirname(masterKeyFile), { recursive: true, mode: 0o700 })
    await writeDurably(masterKeyFile, Buffer.concat(bytes))
  }
  try {
    await backup.read(async ({ head, body }, progress) => {
      if ('root' in head) {
        progress.step = 'files'
        await writer.write(head, body)
        progress.files = ++counts.files
      } else if (head.kind === 'master-key') await writeKey(body)
      else if (head.kind === 'table')
        for await (const bytes of body) {
          const rows = Rows.parse(JSON.parse(bytes.toString()))
          await loader?.rows(head, rows)
          progress.rows = counts.rows += rows.length
        }
      else if (head.kind === 'sequences')
        for await (const bytes of body) await loader?.sequences(Sequences.parse(JSON.parse(bytes.toString())))
      else if (head.kind === 'tasks')
        for await (const bytes of body)
          if (loader) await addTasks(client, StoredTasks.parse(JSON.parse(bytes.toString())))
    }, onProgress)
    await loader?.commit()
  } catch (error) {
    await loader?.rollback()
    throw error
  }
  return counts
}
