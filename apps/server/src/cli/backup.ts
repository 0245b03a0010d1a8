import path from 'node:path'
import { parseArgs } from 'node:util'
import pino from 'pino'
import { writeBackup } from '../backup/backup'
import { connectOrStartDatabase } from '../db/database'
import { countText } from '@flotilla/contract/count-text'
import { parseEnvironment } from '../config'
import { commandLine, showProgress } from './backup/terminal'

const usage = `Write everything needed for a restore to one file. The server may be running.

  npm run backup -- FILE [--force]
      FILE     the backup file, which must not exist yet
      --force  replace FILE

Set BACKUP_PASSPHRASE to encrypt it, and the same environment variables as for the server (DATA_DIR, DATABASE_URL, MASTER_KEY_FILE).
`

await commandLine(usage, async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { force: { type: 'boolean', default: false } },
  })
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0) return false
  const config = parseEnvironment(process.env)
  const { dataDir, databaseUrl, masterKeyFile, backupPassphrase: passphrase } = config
  if (passphrase === undefined)
    console.error(
      'Warning: BACKUP_PASSPHRASE is not set, so this backup is not encrypted. It contains the master key and every secret: anyone who can read it can use them.',
    )
  const database = await connectOrStartDatabase({ dataDir, databaseUrl, log: pino({ level: 'silent' }) })
  const progress = showProgress()
  try {
    const { skipped, ...made } = await writeBackup({
      file: path.resolve(file),
      overwrite: values.force,
      databaseUrl: database.url,
      dataDir,
      masterKeyFile,
      passphrase,
      now: Date.now,
      onProgress: progress.show,
    })
    progress.end()
    for (const one of skipped) console.error(`Warning: ${one} could not be read and is not in the backup.`)
    console.log(
      `Wrote ${file}: ${countText(made.rows, 'row')}, ${countText(made.files, 'file')}, ${progress.size(made.bytes)}, ${made.encrypted ? 'encrypted' : 'not encrypted'}.`,
    )
  } finally {
    progress.end()
    await database.stop()
  }
  return true
})
