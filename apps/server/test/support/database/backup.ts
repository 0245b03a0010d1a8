import { chmod, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { writeBackup, type BackupOptions } from '../../../src/backup/backup'
import { restoreBackup, type RestoreOptions } from '../../../src/backup/restore'
import { migrations } from '../../../src/db/migrations/index'
import { requireSameKey } from '../../../src/db/maintenance/same-key'
import { openQueue } from '../../../src/queue/queue'
import { markOf, openMasterKey } from '../../../src/secrets/secrets'
import { databaseOfTest, newDatabase } from './database'
import { testFolder } from '../folder'
import { testLog } from '../log'
import { onTestFinished } from 'vitest'

/** A site without a running server: a database with its data folder and master key. */
export async function testSite() {
  const dataDir = path.join(await testFolder(), 'data')
  await mkdir(dataDir, { mode: 0o700 })
  const db = await databaseOfTest()
  const masterKeyFile = path.join(dataDir, 'master.key')
  const secrets = await openMasterKey(masterKeyFile)
  await requireSameKey(db, markOf(secrets))
  const queue = await openQueue({ url: db.url, alone: false, log: testLog().log })
  onTestFinished(() => queue.stop())
  const backup = async (more: Partial<BackupOptions> = {}) => {
    const file = path.join(await testFolder(), 'site.backup')
    const options = {
      file,
      databaseUrl: db.url,
      dataDir,
      masterKeyFile,
      passphrase: undefined,
      now: Date.now,
    }
    return { file, ...(await writeBackup({ ...options, ...more })) }
  }
  return { db, dataDir, masterKeyFile, secrets, queue, backup }
}

/** An empty database and folder to restore a site to. */
export async function testTarget() {
  const folder = await testFolder()
  // As root, homes are in DATA_DIR only if other accounts can access it.
  await chmod(folder, 0o755)
  const dataDir = path.join(folder, 'elsewhere', 'site')
  await mkdir(path.dirname(dataDir))
  const { url, drop } = await newDatabase({ bare: true })
  onTestFinished(drop)
  const options = {
    dataDir,
    masterKeyFile: path.join(dataDir, 'master.key'),
    databaseUrl: url,
    passphrase: undefined,
    migrations,
    log: testLog().log,
  }
  return {
    ...options,
    restore: (file: string, more: Partial<RestoreOptions> = {}) =>
      restoreBackup({ ...options, file, ...more }),
  }
}
