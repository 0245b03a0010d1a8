import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { Database, Queryable, Transaction } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { AuditSource } from '../../http/caller'
import type { Queue } from '../../queue/queue'
import { sealContext } from '../../secrets/sealed-values'
import type { Secrets } from '../../secrets/secrets'
import { makeChain } from './chain'
import { headText, makeSign } from './records'
import { makeRefusals } from './refusals'
import { bindActivities } from './routes'
import * as store from './store'
import { makeVerification, verifyTask } from './verification'

type Deps = { db: Database; secrets: Secrets; queue: Queue; log: Logger; now: () => number }

const KEY_BYTES = 32
/**
 * The audit key is random, not derived from the master key, so that records stay valid when the master key is rotated.
 */
async function openSign(db: Queryable, secrets: Secrets): Promise<AuditSource['sign']> {
  const sealed = await store.signatureKey(db, (head) => {
    const key = randomBytes(KEY_BYTES)
    return { sealed_key: secrets.seal(key, sealContext.auditKey()), signature: makeSign(key)(headText(head)) }
  })
  return makeSign(secrets.open(sealed, sealContext.auditKey()))
}

const fromSystem = { requestId: null, address: null, sessionId: null, tokenId: null }
/** The audit source of a command that runs without a server. */
export const commandSource = async (tx: Transaction, secrets: Secrets): Promise<AuditSource> => ({
  ...fromSystem,
  sign: await openSign(tx, secrets),
})

/** For verifying the trail outside the server, which may not be running. */
export async function signatureOf(db: Database, secrets: Secrets): Promise<AuditSource['sign']> {
  const sealed = await store.knownSignatureKey(db.kysely)
  if (sealed === null)
    throw new Error(
      'There is no audit trail to verify: the database is empty or from an older version. Start the server with this version once, then try again.',
    )
  return makeSign(secrets.open(sealed, sealContext.auditKey()))
}

export async function openActivities({ db, secrets, queue, log, now }: Deps) {
  const sign = await openSign(db.kysely, secrets)
  const chain = makeChain({ db, sign, log, now })
  /** The source of what the console does on its own. */
  const system: AuditSource = {
    ...fromSystem,
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
