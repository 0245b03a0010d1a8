import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import * as z from 'zod/mini'
import { messageOf } from '../explain'
import { keyFor, readHeader, unseal, type Header } from './container'
import { BackupError } from './error'
import type { OnProgress, Progress } from './progress'
import { readRecords, type Manifest, type Reading } from './records'
import { StoredTasks } from '../queue/stored-tasks'
import { treeCheck } from './write-files'

const HEADER_READ = 32 * 1024

/** A frame in the body of a table's record. */
export const Rows = z.array(z.string())
/** A frame in the body of the record of sequences. */
export const Sequences = z.array(
  z.object({ name: z.string(), last_value: z.string(), is_called: z.boolean() }),
)

export interface Backup {
  header: Header
  /** Passes each record to `use`, in order, and only once it is authenticated. */
  read(use: (record: Reading, progress: Progress) => Promise<void>, onProgress?: OnProgress): Promise<void>
}

/** Opens the file; fails if it is not a backup or the passphrase is wrong. */
export async function openBackup(file: string, passphrase: string | undefined): Promise<Backup> {
  const { start, size } = await firstBytes(file)
  const { header, lines } = readHeader(start)
  const key = await keyFor(header, passphrase)
  return {
    header,
    async read(use, onProgress) {
      const progress: Progress = {
        step: 'database',
        rows: 0,
        files: 0,
        bytes: lines.length,
        totalBytes: size,
      }
      try {
        await pipeline(
          createReadStream(file, { start: lines.length }),
          async function* (source: AsyncIterable<Buffer>) {
            for await (const bytes of source) {
              progress.bytes += bytes.length
              onProgress?.({ ...progress })
              yield bytes
            }
          },
          unseal({ lines, key }),
          createGunzip(),
          async (source: AsyncIterable<Buffer>) => {
            for await (const record of readRecords(source)) await use(record, progress)
          },
        )
      } catch (error) {
        const isZlib = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
        if (isZlib || error instanceof SyntaxError || error instanceof z.core.$ZodError)
          throw new BackupError('This backup is damaged.', { cause: error })
        throw error
      }
    },
  }
}

async function firstBytes(file: string): Promise<{ start: Buffer; size: number }> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    throw new BackupError(`${file} cannot be read: ${messageOf(error)}`)
  })
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_READ), 0, HEADER_READ, 0)
    return { start: buffer.subarray(0, bytesRead), size: (await stat(file)).size }
  } finally {
    await handle.close()
  }
}

/** Reads the whole file without changing anything; fails unless it is complete, undamaged and in restore order. */
export async function verify(backup: Backup, onProgress?: OnProgress): Promise<Manifest> {
  const kinds: string[] = []
  let manifest: Manifest | undefined
  let isComplete = false
  const check = treeCheck()
  const outOfOrder = () => new BackupError('This backup is damaged: its records are not in order.')
  await backup.read(
    async ({ head, body }, progress) => {
      const isFile = 'root' in head
      if (isComplete || (manifest === undefined && head.kind !== 'manifest')) throw outOfOrder()
      if (!isFile && head.kind !== 'table') kinds.push(head.kind)
      if (isFile) {
        progress.files++
        check(head)
      }
      if (head.kind === 'manifest') manifest = head
      else if (head.kind === 'end') {
        if (head.rows !== progress.rows || head.files !== progress.files) throw outOfOrder()
        isComplete = true
      } else if (head.kind === 'table')
        for await (const rows of body) progress.rows += Rows.parse(JSON.parse(rows.toString())).length
      else if (head.kind === 'sequences')
        for await (const bytes of body) Sequences.parse(JSON.parse(bytes.toString()))
      else if (head.kind === 'tasks')
        for await (const bytes of body) StoredTasks.parse(JSON.parse(bytes.toString()))
    },
    onProgress && ((progress) => onProgress({ ...progress, step: 'verify' })),
  )
  if (!manifest || kinds.join() !== 'manifest,master-key,sequences,tasks,end') throw outOfOrder()
  return manifest
}
