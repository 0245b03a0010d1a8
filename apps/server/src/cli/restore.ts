import path from 'node:path'
import { parseArgs } from 'node:util'
import pino from 'pino'
import { countText } from '@flotilla/contract/count-text'
import { restoreBackup } from '../backup/restore'
import { parseEnvironment } from '../config'
import { migrations } from '../db/migrations/index'
import { commandLine, showProgress } from './backup/terminal'

const usage = `Restore a site from a backup into an empty DATA_DIR and an empty database.

  npm run restore -- FILE

Set BACKUP_PASSPHRASE if the backup is encrypted, and the same environment variables as for the server (DATA_DIR,
DATABASE_URL, MASTER_KEY_FILE). To retry an interrupted restore, run the same command again.
`

await commandLine(usage, async () => {
  const { positionals } = parseArgs({ allowPositionals: true, options: {} })
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0) return false
  const { dataDir, databaseUrl, masterKeyFile, backupPassphrase } = parseEnvironment(process.env)
  const progress = showProgress()
  try {
    const restored = await restoreBackup({
      file: path.resolve(file),
      passphrase: backupPassphrase,
      dataDir,
      masterKeyFile,
      databaseUrl,
      migrations,
      log: pino({ level: 'silent' }),
      onProgress: progress.show,
    })
    progress.end()
    const made = new Date(restored.createdAt).toISOString()
    console.log(
      `Restored ${countText(restored.rows, 'row')} and ${countText(restored.files, 'file')} from the backup of ${made} (version ${restored.version}). Start the server with: npm start`,
    )
  } finally {
    progress.end()
  }
  return true
})
