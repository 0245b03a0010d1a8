import { sql } from 'kysely'
import type { Queryable } from '../../../db/database'
import { maySee } from '../store'

/** At most this many people are queried for their jobs, each over a connection of their own. */
const PEOPLE_MAX = 50

/**
 * People who may have jobs on the cluster: first those with some in progress, then those who submitted jobs, used their
 * own connection or viewed the queue since then, the most recent first.
 */
export const peopleWithJobs = async (db: Queryable, clusterId: string, since: Date, at: Date) =>
  (
    await sql<{ id: string; username: string; busy: boolean }>`
      select u.id, u.username, bool_or(seen.busy) as busy from (
        select user_id, submitted_at as at, ended_at is null as busy from submissions
          where cluster_id = ${clusterId} and not run_as_admin and (ended_at is null or submitted_at > ${since})
        union all
        select user_id, used_at, false from cluster_connections
          where cluster_id = ${clusterId} and used_at > ${since}
            and ${maySee(sql`cluster_id`, sql`user_id`, at)}
      ) seen join users u on u.id = seen.user_id
      group by u.id, u.username order by bool_or(seen.busy) desc, max(seen.at) desc limit ${PEOPLE_MAX}`.execute(
      db,
    )
  ).rows
