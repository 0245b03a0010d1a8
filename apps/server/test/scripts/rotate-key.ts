import { silentRotation } from '../support/database/rotation'

const { DATABASE_URL = '', MASTER_KEY_FILE = '' } = process.env
console.log('begin')
await silentRotation(DATABASE_URL, MASTER_KEY_FILE)
console.log('done')
process.exit(0)
