import path from 'node:path'
import { writeBackup } from '../../src/backup/backup'

const { DATABASE_URL = '', DATA_DIR = '', FILE = '', DIE_AFTER = '' } = process.env
await writeBackup({
  file: FILE,
  databaseUrl: DATABASE_URL,
  dataDir: DATA_DIR,
  masterKeyFile: path.join(DATA_DIR, 'master.key'),
  passphrase: undefined,
  now: Date.now,
  onProgress: ({ bytes }) => {
    // The process kills itself, because a signal from the test could arrive after it has finished.
    if (bytes > Number(DIE_AFTER)) process.kill(process.pid, 'SIGKILL')
  },
})
