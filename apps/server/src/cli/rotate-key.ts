import { parseArgs } from 'node:util'
import pino from 'pino'
import { countText } from '@flotilla/contract/count-text'
import { parseEnvironment } from '../config'
import { openDatabase } from '../db/database'
import { requireMigrated } from '../db/migrate'
import { migrations } from '../db/migrations/index'
import { lockSite } from '../db/maintenance/site-lock'
import { sendMail } from '../mail/tasks'
import { recordRotation } from '../modules/activities/rotation'
import { prepareQueue, rewriteTasks } from '../queue/stored-tasks'
import { rotateKey } from '../secrets/rotation'
import { sealContext } from '../secrets/sealed-values'
import { commandLine } from './backup/terminal'

const usage = `Replace the master key, and seal every stored secret with the new one. Stop every server first.

  npm run rotate-key

Everyone has to log in again; access tokens keep working. Backups made before the rotation contain the old key.
`

await commandLine(usage, async () => {
  if (parseArgs({ allowPositionals: true, options: {} }).positionals.length > 0) return false
  const { dataDir, databaseUrl, masterKeyFile } = parseEnvironment(process.env)
  const site = databaseUrl === undefined ? null : await lockSite(databaseUrl)
  if (site === undefined)
    throw new Error('A Flotilla server is using the database at DATABASE_URL. Stop every server first.')
  const log = pino({ level: 'silent' })
  const db = await openDatabase({ dataDir, databaseUrl, log })
  try {
    await requireMigrated(db, migrations)
    await prepareQueue(db.url, log)
    const { secrets } = await rotateKey({
      db,
      file: masterKeyFile,
      resealTasks: (tx, reseal) =>
        rewriteTasks(tx, sendMail, ({ sealed }) => ({ sealed: reseal(sealed, sealContext.mail()) })),
      record: recordRotation,
    })
    console.log(
      `Wrote a new master key to ${masterKeyFile} and resealed ${countText(secrets, 'secret')} with it. Make a new backup now.`,
    )
  } finally {
    await db.close()
    await site?.release()
  }
  return true
})
