import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { syncFolder } from '@flotilla/system/durable-file'
import type { Database, Transaction } from '../db/database'
import { endSignedAccess, keepTokenKey, resealColumn, tablesWithUnknownSeals } from '../db/maintenance/reseal'
import { keyMark, setKeyMark } from '../db/maintenance/same-key'
import { sealContext, sealedColumns } from './sealed-values'
import { markOf, readMasterKey, tokenKeyUnder, writeNewKey, type Secrets } from './secrets'

/** The file of the new key until the database is sealed with it. */
const draftOf = (file: string) => `${file}.new`

/**
 * Completes or undoes an interrupted rotation. The database decides which of the two: its secrets and the mark of their
 * key change in one transaction.
 */
export async function finishRotation(db: Database, file: string): Promise<void> {
  const draft = draftOf(file)
  const made = await readMasterKey(draft)
  if (!made) return
  if ((await keyMark(db.kysely)) === markOf(made)) await rename(draft, file).catch(ignoreGone)
  else await rm(draft, { force: true })
  await syncFolder(path.dirname(file))
}

/** Another server that starts at the same time has already renamed the file. */
const ignoreGone = (error: unknown) => {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

type Rotation = {
  db: Database
  file: string
  /** Reseals the secrets in queued tasks. */
  resealTasks(tx: Transaction, reseal: (sealed: string, context: string) => string): Promise<void>
  /** Writes to the audit trail. */
  record(tx: Transaction, secrets: Secrets): Promise<void>
}

/**
 * Replaces the master key. The caller makes sure that no server runs, because it would keep sealing with the old key.
 * Both keys are on disk until the database has changed, so that after a kill at any moment one of them opens
 * everything.
 */
export async function rotateKey({ db, file, resealTasks, record }: Rotation): Promise<{ secrets: number }> {
  await finishRotation(db, file)
  const before = await requireKey(db, file)
  const unknown = await tablesWithUnknownSeals(db.url, sealedColumns)
  if (unknown.length > 0)
    throw new Error(
      `These tables have sealed values that this version cannot reseal: ${unknown.join(', ')}. Nothing was changed.`,
    )
  const draft = draftOf(file)
  await writeNewKey(draft)
  const after = await readMasterKey(draft)
  if (!after) throw new Error(`The new master key in ${draft} disappeared while it was being created`)
  const reseal = (sealed: string, context: string) => after.seal(before.open(sealed, context), context)
  const secrets = await db.transaction(async (tx) => {
    // This comes first, while the key of the audit trail still opens with the old master key.
    await record(tx, before)
    let count = 0
    for (const column of sealedColumns) count += await resealColumn(tx, column, reseal)
    await resealTasks(tx, reseal)
    // A token key that was kept earlier has been resealed with the columns.
    await keepTokenKey(tx, after.seal(tokenKeyUnder(before), sealContext.accessTokenKey()))
    await endSignedAccess(tx)
    await setKeyMark(tx, markOf(after))
    return count
  })
  await finishRotation(db, file)
  return { secrets }
}

async function requireKey(db: Database, file: string): Promise<Secrets> {
  if (!existsSync(file))
    throw new Error(`There is no master key in ${file}. Check DATA_DIR and MASTER_KEY_FILE.`)
  const key = await readMasterKey(file)
  if (!key || (await keyMark(db.kysely)) !== markOf(key))
    throw new Error(
      `The master key in ${file} does not belong to this database. Point MASTER_KEY_FILE to the right file.`,
    )
  return key
}
