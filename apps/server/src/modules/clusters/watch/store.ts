import { sql } from 'kysely'
import type { Queryable } from '../../../db/database'

/** As many as are asked about their jobs, each over a connection of its own. */
const PEOPLE_MAX = 50

/** Who has jobs in progress on the cluster, or submitted some since then; those who submitted last come first. */
export const peopleWithJobs = (db: Queryable, clusterId: string, since: Date) =>
  db
    .selectFrom('submissions')
    .innerJoin('users', 'users.id', 'submissions.user_id')
    .select(['users.id', 'users.username'])
    .where('submissions.cluster_id', '=', clusterId)
    .where('submissions.run_as_admin', '=', false)
    .where((eb) =>
      eb.or([eb('submissions.ended_at', 'is', null), eb('submissions.submitted_at', '>', since)]),
    )
    .groupBy(['users.id', 'users.username'])
    .orderBy(sql`max(submissions.submitted_at)`, 'desc')
    .limit(PEOPLE_MAX)
    .execute()
