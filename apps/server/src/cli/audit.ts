import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import pino from 'pino'
import { countText } from '@flotilla/contract/count-text'
import { parseEnvironment } from '../config'
import { connectOrStartDatabase, openDatabase, type Database } from '../db/database'
import { messageOf } from '../explain'
import { signatureOf } from '../modules/activities/open'
import { verifyTrail, type Verified } from '../modules/activities/verify'
import { openMasterKey } from '../secrets/secrets'

const usage = `Verify that the audit trail has not been changed. The server may be running.

  npm run audit -- verify [--json]
      names the first record that was changed, removed, inserted or moved, and exits with 1 if there is one

Set the same environment variables as for the server (DATA_DIR, DATABASE_URL, MASTER_KEY_FILE).
`

async function verify(show: (text: string) => void): Promise<Verified> {
  const { dataDir, databaseUrl, masterKeyFile } = parseEnvironment(process.env)
  if (!existsSync(masterKeyFile))
    throw new Error(`There is no master key in ${masterKeyFile}. Check DATA_DIR and MASTER_KEY_FILE.`)
  const secrets = await openMasterKey(masterKeyFile)
  const log = pino({ level: 'silent' })
  const database = await connectOrStartDatabase({ dataDir, databaseUrl, log })
  let db: Database | undefined
  try {
    db = await openDatabase({ dataDir, databaseUrl: database.url, log })
    const sign = await signatureOf(db, secrets)
    return await verifyTrail(db, sign, (records, of) => show(`${records} of ${of} records`))
  } finally {
    await db?.close()
    await database.stop()
  }
}

function report({ records, pending, head, problem }: Verified): void {
  if (problem) {
    console.log(`BROKEN: ${problem.text}.`)
    console.log(`Intact before that: ${countText(records, 'record')}.`)
    return
  }
  const waiting = pending > 0 ? `, and ${pending} more that will be chained in a moment` : ''
  console.log(`The audit trail is intact: ${countText(records, 'record')}${waiting}.`)
  console.log(`It ends at ${head.position} ${head.hash}`)
}

const isMisuse = (error: unknown) =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  })
  if (positionals.join(' ') === 'verify') {
    const isTerminal = process.stderr.isTTY
    const verified = await verify((text) => isTerminal && process.stderr.write(`\r\x1b[K${text}`))
    if (isTerminal) process.stderr.write('\r\x1b[K')
    if (values.json) console.log(JSON.stringify(verified))
    else report(verified)
    process.exitCode = verified.problem ? 1 : 0
  } else {
    process.stderr.write(usage)
    process.exitCode = 2
  }
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`)
  if (isMisuse(error)) process.stderr.write(`\n${usage}`)
  process.exitCode = isMisuse(error) ? 2 : 1
}
