import path from 'node:path'
import pino from 'pino'
import { restoreBackup } from '../../src/backup/restore'
import { migrations } from '../../src/db/migrations/index'

const { DATABASE_URL = '', DATA_DIR = '', FILE = '', DIE_AT = '', DIE_AFTER = '' } = process.env
let seen = 0
await restoreBackup({
  file: FILE,
  databaseUrl: DATABASE_URL,
  dataDir: DATA_DIR,
  masterKeyFile: path.join(DATA_DIR, 'master.key'),
  passphrase: undefined,
  migrations,
  log: pino({ level: 'silent' }),
  onProgress: ({ step }) => {
    // The process kills itself, because a signal from the test could arrive after it has finished.
    if (step === DIE_AT && seen++ === Number(DIE_AFTER)) process.kill(process.pid, 'SIGKILL')
  },
})
