import { randomBytes } from 'node:crypto'
import { link, open, readFile, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { VERSION } from '@flotilla/contract/version'
import { syncFolder } from '@flotilla/system/durable-file'
import {
  beginSnapshot,
  dedicatedClient,
  endSnapshot,
  masterKeyMarkIn,
  migrationsIn,
  rowsOf,
  sequencesIn,
  tablesIn,
} from '../db/maintenance/dump'
import { messageOf } from '../explain'
import { readTasks } from '../queue/stored-tasks'
import { markOf, readMasterKey } from '../secrets/secrets'
import { newHeader, seal } from './container'
import { BackupError } from './error'
import type { WritingProgress } from './progress'
import { fileRecord, fileRecords, findHomes } from './read-files'
import { record } from './records'

export type BackupOptions = {
  /** The file that the backup is written to. */
  file: string
  /** Replaces an existing file; without it, an existing file is a failure. */
  overwrite?: boolean
  databaseUrl: string
  dataDir: string
  masterKeyFile: string
  /** Without it the backup is not encrypted. */
  passphrase: string | undefined
  now: () => number
  onProgress?: (progress: WritingProgress) => void
  signal?: AbortSignal
}
export type BackupResult = {
  bytes: number
  rows: number
  files: number
  encrypted: boolean
  /** Users' files that could not be read. */
  skipped: string[]
}

const exists = (file: string) =>
  new BackupError(`${file} already exists. Choose another name, remove it, or replace it with --force.`)

/**
 * Writes everything that a restore needs to one file, which only its owner can read. The database is read in one
 * snapshot, and then the files, which are therefore as old as the rows or newer. That is the state after a crash of the
 * server, which every part is built to survive. The file is renamed into place once it is complete and on disk.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupResult> {
  const { file, overwrite = false, passphrase, signal } = options
  if (!overwrite && (await isThere(file))) throw exists(file)
  const draft = `${file}.${randomBytes(6).toString('hex')}.partial`
  const skipped: string[] = []
  const progress: WritingProgress = { step: 'database', rows: 0, files: 0, bytes: 0, totalBytes: null }
  const sealer = await newHeader(passphrase, { version: VERSION, createdAt: options.now() })
  const unwritable = (error: unknown) => {
    throw new BackupError(`${file} cannot be written: ${messageOf(error)}`, { cause: error })
  }
  const handle = await open(draft, 'wx', 0o600).catch(unwritable)
  try {
    await pipeline(
      Readable.from(records({ ...options, file: draft }, progress, skipped), { objectMode: false }),
      createGzip(),
      seal(sealer),
      async (source: AsyncIterable<Buffer>) => {
        for await (const bytes of source) {
          await handle.writeFile(bytes).catch(unwritable)
          progress.bytes += bytes.length
          options.onProgress?.({ ...progress })
        }
      },
      { signal },
    )
    await handle.sync().catch(unwritable)
    await handle.close()
    // The run may have ended while the file system did not respond.
    signal?.throwIfAborted()
    if (overwrite) await rename(draft, file).catch(unwritable)
    else
      // Unlike a rename, this fails if the file was created in the meantime.
      await link(draft, file).catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw exists(file)
        unwritable(error)
      })
    await rm(draft, { force: true })
    await syncFolder(path.dirname(file)).catch(unwritable)
    const { bytes, rows, files } = progress
    return { bytes, rows, files, encrypted: passphrase !== undefined, skipped }
  } finally {
    await handle.close().catch(() => {})
    await rm(draft, { force: true })
  }
}

const isThere = (file: string) =>
  open(file, 'r').then(
    async (handle) => {
      await handle.close()
      return true
    },
    (error: unknown) => !(error instanceof Error && 'code' in error && error.code === 'ENOENT'),
  )

async function* records(
  options: BackupOptions,
  progress: WritingProgress,
  skipped: string[],
): AsyncGenerator<Buffer> {
  const { databaseUrl, dataDir, masterKeyFile, file, signal } = options
  const client = await dedicatedClient(databaseUrl, 'flotilla backup')
  // Closing the connection does not wait for a statement that hangs.
  const hangUp = () => void client.end()
  signal?.addEventListener('abort', hangUp)
  try {
    await beginSnapshot(client)
    const migrations = await migrationsIn(client)
    if (migrations.length === 0) throw new BackupError('This database is empty: there is nothing to back up.')
    const masterKeyMark = await masterKeyMarkIn(client)
    const key = await readMasterKey(masterKeyFile)
    // With a wrong key, the secrets in the backup would be lost forever.
    if (key === undefined || (masterKeyMark !== null && markOf(key) !== masterKeyMark))
      throw new BackupError(
        `The master key in ${masterKeyFile} does not belong to this database. Point MASTER_KEY_FILE to the right file.`,
      )
    yield* record({ kind: 'manifest', migrations, masterKeyMark, homes: await findHomes(dataDir) })
    yield* record({ kind: 'master-key' }, [await readFile(masterKeyFile)])
    for (const table of await tablesIn(client)) {
      // A restore fills this one when it creates the tables.
      if (table.name === 'migrations') continue
      const batches = async function* () {
        for await (const rows of rowsOf(client, table)) {
          progress.rows += rows.length
          yield Buffer.from(JSON.stringify(rows))
        }
      }
      yield* record({ kind: 'table', ...table }, batches())
    }
    yield* record({ kind: 'sequences' }, [Buffer.from(JSON.stringify(await sequencesIn(client)))])
    yield* record({ kind: 'tasks' }, [Buffer.from(JSON.stringify(await readTasks(client)))])
    await endSnapshot(client)
  } finally {
    signal?.removeEventListener('abort', hangUp)
    await client.end()
  }
  progress.step = 'files'
  const onSkipped = (one: string) => void skipped.push(one)
  try {
    for await (const one of fileRecords({ dataDir, except: [masterKeyFile, file], onSkipped })) {
      progress.files++
      yield* fileRecord(one)
    }
  } catch (error) {
    // A network folder times out with the same error as a connection to the database, so the two are told apart here.
    throw new BackupError(`A file cannot be read: ${messageOf(error)}`, { cause: error })
  }
  yield* record({ kind: 'end', rows: progress.rows, files: progress.files })
}

/** Removes the drafts that killed backups to this file have left. */
export async function removeDrafts(file: string): Promise<void> {
  const folder = path.dirname(file)
  for (const name of await readdir(folder))
    if (name.startsWith(`${path.basename(file)}.`) && /\.[0-9a-f]{12}\.partial$/.test(name))
      await rm(path.join(folder, name), { force: true })
}
