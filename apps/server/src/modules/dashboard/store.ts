import { sql } from 'kysely'
import type { Queryable } from '../../db/database'
import { managedBy, type Viewer } from '../../db/visible'

export const databaseSize = async (db: Queryable): Promise<number> =>
  Number(
    (await sql<{ size: string }>`select pg_database_size(current_database()) as size`.execute(db)).rows[0]
      ?.size,
  )

export const queued = async (db: Queryable): Promise<{ waiting: number; failed: number }> =>
  (
    await sql<{ waiting: number; failed: number }>`
      select count(*) filter (where attempts < max_attempts and run_at <= now() and locked_at is null)::int as waiting,
        count(*) filter (where attempts >= max_attempts)::int as failed
      from graphile_worker.jobs`.execute(db)
  ).rows[0] ?? { waiting: 0, failed: 0 }

type Total = { state: string; count: number; queue: Record<string, number>; nodes: Record<string, number> }
/** The number of clusters in each state, with the totals of their queues and nodes. */
export const clusterTotals = async (db: Queryable, viewer: Viewer): Promise<Total[]> =>
  (
    await sql<Total>`
      select state, count(*)::int as count,
        ${sums('queue_counts', ['blocked', 'completed', 'queued', 'running', 'total'])} as queue,
        ${sums('node_counts', ['available', 'busy', 'down', 'offline', 'total', 'unknown'])} as nodes
      from clusters where ${managedBy('clusters', viewer)} group by state`.execute(db)
  ).rows

/** Counts of the jobs that a user has submitted through the console and that have not ended. */
export const ownQueue = async (db: Queryable, userId: string): Promise<Record<string, number>> =>
  (
    await sql<{ queue: Record<string, number> }>`
      select json_build_object('total', count(*), 'queued', count(*) filter (where state in ('submitting', 'queued')),
        'running', count(*) filter (where state = 'running'), 'blocked', count(*) filter (where state = 'blocked')) as queue
      from submissions where user_id = ${userId} and ended_at is null`.execute(db)
  ).rows[0]?.queue ?? {}

const sums = (column: string, names: string[]) =>
  sql`json_build_object(${sql.join(
    names.flatMap((name) => [
      sql`${sql.lit(name)}`,
      // Counts reported by a cluster may exceed an integer.
      sql`coalesce(sum((${sql.ref(column)}->>${sql.lit(name)})::numeric), 0)`,
    ]),
  )})`

/** The number of users who were active recently, and of all users. */
export const people = async (db: Queryable, activeSince: Date): Promise<{ online: number; total: number }> =>
  (
    await sql<{ online: number; total: number }>`
      select (select count(distinct user_id)::int from sessions where last_active_at > ${activeSince}) as online,
        (select count(*)::int from users) as total`.execute(db)
  ).rows[0] ?? { online: 0, total: 0 }

/** The most entries of one kind. */
export const MOST = 10

export const troubledClusters = (db: Queryable, viewer: Viewer, unreachableSince: Date) =>
  db
    .selectFrom('clusters')
    .select(['id', 'name', 'state', 'cause', 'state_since', 'poll_error', 'poll_error_since', 'burst_paused'])
    .where(managedBy('clusters', viewer))
    .where((either) =>
      either.or([
        either('state', '=', 'failed'),
        either.and([either('state', '=', 'available'), either('poll_error_since', '<', unreachableSince)]),
        either('burst_paused', 'is not', null),
      ]),
    )
    .orderBy('state_since', 'desc')
    .limit(MOST)
    .execute()

export const failedStacks = (db: Queryable, viewer: Viewer) =>
  db
    .selectFrom('stacks')
    .select(['id', 'name', 'cause', 'state_since'])
    .where(managedBy('stacks', viewer))
    .where('state', '=', 'failed')
    .orderBy('state_since', 'desc')
    .limit(MOST)
    .execute()

/** Credentials whose last test failed. */
export const refusedCredentials = (db: Queryable) =>
  db
    .selectFrom('credentials')
    .select([
      'name',
      sql<string>`last_test->>'message'`.as('message'),
      sql<number>`(last_test->>'at')::float8`.as('at'),
    ])
    .where(sql<boolean>`last_test->>'outcome' <> 'ok'`)
    .orderBy('name')
    .limit(MOST)
    .execute()

export const leftovers = async (
  db: Queryable,
): Promise<{ count: number; unpriced: number; perHour: number | null; since: Date | null }> =>
  (
    await sql<{ count: number; unpriced: number; perHour: number | null; since: Date | null }>`
      select count(*)::int as count, (count(*) - count(resource->>'perHour'))::int as unpriced, sum((resource->>'perHour')::float8) as "perHour", min(found_at) as since
      from leftovers`.execute(db)
  ).rows[0] ?? { count: 0, unpriced: 0, perHour: null, since: null }

/** The last backup, if it failed and no one canceled it. */
export const failedBackup = async (db: Queryable) => {
  const last = await db
    .selectFrom('backup_runs')
    .select(['cause', 'ended_at', 'cancel_asked'])
    .where('ended_at', 'is not', null)
    .orderBy('began_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.cause && !last.cancel_asked ? { cause: last.cause, endedAt: last.ended_at } : null
}

/** Jobs that were submitted before this time and are blocked. */
export const blockedJobs = (db: Queryable, viewer: Viewer, since: Date) =>
  db
    .selectFrom('submissions')
    .select(['id', 'job_id', 'job_name', 'cluster_name', 'reason', 'submitted_at'])
    .where('state', '=', 'blocked')
    .where('submitted_at', '<', since)
    .$if(!viewer.admin, (query) => query.where('user_id', '=', viewer.id))
    .orderBy('submitted_at')
    .limit(MOST)
    .execute()

/** Which first steps of a new installation are done. */
export const firstSteps = async (db: Queryable) =>
  (
    await sql<{ job: boolean; cluster: boolean; people: boolean }>`
      select exists (select from submissions) as job,
        exists (select from credentials)
          or exists (select from clusters where provider <> 'local' or data->>'transport' = 'ssh') as cluster,
        (select count(*) > 1 from users) as people`.execute(db)
  ).rows[0] ?? { job: false, cluster: false, people: false }

/** The first job that a user submitted. */
export const firstJob = async (db: Queryable, userId: string) =>
  (
    await sql<{ id: string; job_id: string; job_name: string; ended_at: Date | null; submitted_at: Date }>`
      select s.id, s.job_id, s.job_name, s.ended_at, s.submitted_at
      from jobs join submissions s on s.job_id = jobs.id
      where jobs.owner_id = ${userId} and s.user_id = ${userId}
      order by s.submitted_at limit 1`.execute(db)
  ).rows[0]

export const hasOpenedTerminal = async (db: Queryable, userId: string): Promise<boolean> =>
  (await db
    .selectFrom('activities')
    .select('id')
    .where('actor_id', '=', userId)
    .where('action', '=', 'terminal opened')
    .limit(1)
    .executeTakeFirst()) !== undefined

/** The user's access tokens that expire soon. */
export const expiringTokens = (db: Queryable, userId: string, now: Date, before: Date) =>
  db
    .selectFrom('access_tokens')
    .select(['name', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .where('expires_at', '<', before)
    .orderBy('expires_at')
    .limit(MOST)
    .execute()

/** The user's VPN profiles that expire soon and have not been renewed. */
export const expiringVpnClients = (db: Queryable, userId: string, now: Date, before: Date) =>
  db
    .selectFrom('cluster_vpn_clients as client')
    .innerJoin('clusters', 'clusters.id', 'client.cluster_id')
    .select(['client.cluster_id', 'clusters.name as cluster'])
    .select(({ fn }) => fn.max('client.expires_at').as('expires_at'))
    .where('client.user_id', '=', userId)
    .where('client.revoked_at', 'is', null)
    .groupBy(['client.cluster_id', 'clusters.name'])
    .having(({ fn }) => fn.max('client.expires_at'), '>', now)
    .having(({ fn }) => fn.max('client.expires_at'), '<', before)
    .limit(MOST)
    .execute()

export const directoryCertificates = (db: Queryable) =>
  db
    .selectFrom('ldap_servers')
    .select(['name', sql<string>`settings->>'ca'`.as('ca')])
    .where('active', '=', true)
    .where(sql<boolean>`coalesce(settings->>'ca', '') <> ''`)
    .orderBy('name')
    .execute()

/** Credentials that have not changed for a long time. */
export const oldCredentials = (db: Queryable, before: Date) =>
  db
    .selectFrom('credentials')
    .select(['name', 'updated_at'])
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .limit(MOST)
    .execute()
