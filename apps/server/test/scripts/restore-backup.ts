import path from 'node:path'
import pino from 'pino'
import { restoreBackup } from '../../src/backup/restore'
import { migrations } from '../../src/db/migrations/index'

const { DATABASE_URL = '', DATA_DIR = '', FILE = '' } = process.env
let step = ''
await restoreBackup({
  file: FILE,
  databaseUrl: DATABASE_URL,
  dataDir: DATA_DIR,
  masterKeyFile: path.join(DATA_DIR, 'master.key'),
  passphrase: undefined,
  migrations,
  log: pino({ level: 'silent' }),
  onProgress: (progress) => {
    if (progress.step !== step) console.log(progress.step)
    step = progress.step
  },
})
console.log('done')
