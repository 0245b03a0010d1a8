import type { Database } from '../../db/database'
import type { AuditSource } from '../../http/caller'
import { record } from '../activities/activities'
import type { ClusterAccess } from '../clusters/open'
import * as store from './store'

/** Cancels waiting jobs that would run as admin if the user who submitted them is no longer an admin. */
export function makeFormerAdmins(
  db: Database,
  clusterAccess: ClusterAccess,
  system: AuditSource,
  now: () => number,
): { cancelJobs(): Promise<void> } {
  const cancel = async (row: store.FoundSubmission): Promise<void> => {
    const { connection, cluster } = await clusterAccess.forSubmission(row)
    await clusterAccess.query(connection, connection.scheduler.cancel(row.native_id ?? ''))
    const ended = { state: 'canceled', reason: 'Canceled because the user is no longer an admin' } as const
    await db.transaction(async (tx) => {
      await store.updateSubmission(tx, row.id, { ...ended, ended_at: new Date(now()) })
      await record(tx, null, system, {
        action: 'job canceled',
        subject: { kind: 'job', id: row.job_id, name: row.job_name },
        detail: `${row.submitted_by} is no longer an admin`,
        clusterId: cluster.id,
      })
    })
    clusterAccess.kick(cluster.id)
  }
  return {
    async cancelJobs() {
      // Failures are ignored: a cluster that does not respond is retried a minute later.
      await Promise.allSettled((await store.waitingOfFormerAdmins(db.kysely)).map(cancel))
    },
  }
}
