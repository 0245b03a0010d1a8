import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { AuditSource } from '../../http/caller'
import type { Queue } from '../../queue/queue'
import type { Secrets } from '../../secrets/secrets'
import { makeChain } from './chain'
import { headText, makeSign } from './records'
import { makeRefusals } from './refusals'
import { bindActivities } from './routes'
import * as store from './store'
import { makeVerification, verifyTask } from './verification'

type Deps = { db: Database; secrets: Secrets; queue: Queue; log: Logger; now: () => number }

const KEY_BYTES = 32
/** A key of its own, and none that follows from the master key: that one can be replaced, and the records stay as they are. */
const SEAL = 'audit-key'

async function openSign(db: Database, secrets: Secrets): Promise<AuditSource['sign']> {
  const sealed = await store.signatureKey(db.kysely, (head) => {
    const key = randomBytes(KEY_BYTES)
    return { sealed_key: secrets.seal(key, SEAL), signature: makeSign(key)(headText(head)) }
  })
  return makeSign(secrets.open(sealed, SEAL))
}

/** For verifying from outside of the server, which may not run. */
export async function signatureOf(db: Database, secrets: Secrets): Promise<AuditSource['sign']> {
  const sealed = await store.knownSignatureKey(db.kysely)
  if (sealed === null)
    throw new Error(
      'There is no audit trail to verify: the database is empty or of an older version. Start this version of Flotilla once.',
    )
  return makeSign(secrets.open(sealed, SEAL))
}

export async function openActivities({ db, secrets, queue, log, now }: Deps) {
  const sign = await openSign(db, secrets)
  const chain = makeChain({ db, sign, log, now })
  /** The source of what the console does on its own. */
  const system: AuditSource = {
    requestId: null,
    address: null,
    sessionId: null,
    tokenId: null,
    sign: (text) => {
      chain.soon()
      return sign(text)
    },
  }
  const refusals = makeRefusals({ db, system, log, now })
  const verification = makeVerification({ db, system, log, now })
  return {
    api: {
      system,
      note: refusals.note,
      noteAdminCall: refusals.noteAdminCall,
      verification: verification.last,
    },
    bind: (bind: Bind) => bindActivities(bind, { db, queue, verification, now }),
    tasks: [verification.handler],
    schedules: [{ task: verifyTask, match: '23 3 * * *' }],
    async sweep(): Promise<void> {
      await refusals.sweep()
      await chain.catchUp()
    },
    async stop(): Promise<void> {
      await refusals.stop()
      await chain.stop()
    },
  }
}
