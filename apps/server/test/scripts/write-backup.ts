import path from 'node:path'
import { writeBackup } from '../../src/backup/backup'

const { DATABASE_URL = '', DATA_DIR = '', FILE = '' } = process.env
let reported = 0
await writeBackup({
  file: FILE,
  databaseUrl: DATABASE_URL,
  dataDir: DATA_DIR,
  masterKeyFile: path.join(DATA_DIR, 'master.key'),
  passphrase: undefined,
  now: Date.now,
  onProgress: ({ bytes }) => {
    if (bytes - reported < 256 * 1024) return
    reported = bytes
    console.log(`wrote ${bytes}`)
  },
})
console.log('done')
