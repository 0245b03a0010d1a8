import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { AuditVerification } from '@flotilla/contract/people/activities'
import { countText } from '@flotilla/contract/count-text'
import type { Database } from '../../db/database'
import type { AuditSource } from '../../http/caller'
import { defineTask, handle } from '../../queue/task'
import { record } from './activities'
import * as store from './store'
import { verifyTrail } from './verify'

export const verifyTask = defineTask('verify-audit', z.unknown())

type Options = { db: Database; system: AuditSource; log: Logger; now: () => number }

/** Verifies the trail as a task, and stores the result for admins to see. */
export function makeVerification({ db, system, log, now }: Options) {
  const last = async (): Promise<AuditVerification> => {
    const row = await store.verification(db.kysely)
    return AuditVerification.parse({
      checkedAt: row.checked_at?.getTime() ?? null,
      records: row.checked_records,
      problem: row.problem,
    })
  }
  const run = async (): Promise<void> => {
    const before = await last()
    const { records, head, problem } = await verifyTrail(db, system.sign)
    // The log may be kept where the database's administrator cannot change it: the logged head then also reveals that
    // the end of the chain was removed.
    if (problem) log.error({ problem }, 'the audit trail is broken')
    else log.info({ records, head }, 'the audit trail is intact')
    await db.transaction(async (tx) => {
      await store.keepVerification(tx, new Date(now()), { records, problem })
      // A problem is recorded once, not every day.
      if (problem && problem.text !== before.problem?.text)
        await record(tx, null, system, {
          action: 'audit verification failed',
          subject: { kind: 'audit trail', id: null, name: 'audit trail' },
          detail: `${problem.text} (${countText(records, 'record')} before it intact)`,
        })
    })
  }
  return { last, run, handler: { ...handle(verifyTask, run), long: true as const } }
}
