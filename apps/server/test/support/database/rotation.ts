import pino from 'pino'
import { openDatabase } from '../../../src/db/database'
import { sendMail } from '../../../src/mail/tasks'
import { recordRotation } from '../../../src/modules/activities/rotation'
import { rewriteTasks } from '../../../src/queue/stored-tasks'
import { rotateKey } from '../../../src/secrets/rotation'
import { sealContext } from '../../../src/secrets/sealed-values'

/** Rotates the key as the command does, without its output. */
export async function silentRotation(databaseUrl: string, file: string): Promise<{ secrets: number }> {
  const db = await openDatabase({ dataDir: '/nonexistent', databaseUrl, log: pino({ level: 'silent' }) })
  try {
    return await rotateKey({
      db,
      file,
      resealTasks: (tx, reseal) =>
        rewriteTasks(tx, sendMail, ({ sealed }) => ({ sealed: reseal(sealed, sealContext.mail()) })),
      record: recordRotation,
    })
  } finally {
    await db.close()
  }
}
