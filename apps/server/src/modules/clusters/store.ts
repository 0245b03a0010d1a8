import { isInCloud } from '@flotilla/contract/clusters/entity'
import type { LdapCollaborator } from '@flotilla/contract/ldap-entry'
import { sql, type Insertable, type RawBuilder, type Updateable } from 'kysely'
import { newestFirst, type Cursor } from '../../db/cursors'
import type { Database, Queryable, Transaction } from '../../db/database'
import { LEADER_CHANNEL } from '../../db/coordination/leader'
import { logLines } from '../../db/logs'
import { isJobOf, type JobOwner } from '../../db/job-owners'
import { isAdminSql, shared } from '../../db/owned'
import { managedBy, viewerInJson, viewerInRow, visibleTo, visibleToSql, type Viewer } from '../../db/visible'
import { prepare } from '../../db/connection/prepared'
import type { ClusterRow } from '../../db/tables/clusters'
import {
  parseCluster,
  requireCloud,
  type CloudCluster,
  type FoundRow,
  type JsonColumns,
  type StoredCluster,
} from './stored-cluster'

const { collaborators } = shared('clusters')

const clusters = (db: Queryable) =>
  db
    .selectFrom('clusters')
    .innerJoin('users as owner', 'owner.id', 'clusters.owner_id')
    .selectAll('clusters')
    .select('owner.username as owner')
    .select(isAdminSql(sql`owner.role`).as('owner_is_admin'))
    // Disks kept by an earlier deployment are not shown while the cluster is in use again.
    .select(
      sql<number>`case when clusters.state = 'destroyed' then (
        select count(*)::int from leftovers l
        where l.cluster_id = clusters.id and l.resource->>'kind' = 'volume') else 0 end`.as('kept_disks'),
    )
    .select(collaborators.as('collaborators'))
    .select(
      sql<LdapCollaborator[]>`coalesce((
        select json_agg(json_build_object('serverId', server_id, 'dn', dn, 'kind', kind, 'name', name) order by kind, name)
        from cluster_ldap_collaborators c where c.cluster_id = clusters.id), '[]')`.as('ldap_collaborators'),
    )
const parsed = async (query: { execute(): Promise<FoundRow[]> }): Promise<StoredCluster[]> =>
  (await query.execute()).map(parseCluster)
const inClouds = async (query: { execute(): Promise<FoundRow[]> }): Promise<CloudCluster[]> =>
  (await parsed(query)).filter(isInCloud)

/** Whether a person who can still log in may see the cluster, for use in other queries. False for a null user. */
export const maySee = (clusterId: RawBuilder<unknown>, userId: RawBuilder<unknown>, at: Date) =>
  sql<boolean>`exists (select from clusters, users u where clusters.id = ${clusterId} and u.id = ${userId}
    and (u.end_time is null or u.end_time > ${at})
    and ${visibleToSql('clusters', viewerInRow('u'))})`

const findVisible = prepare<FoundRow>('find a cluster', (db) =>
  clusters(db)
    .where('clusters.id', '=', sql<string>`$1`)
    .where(visibleToSql('clusters', viewerInJson(sql`$2::jsonb`)))
    .compile(),
)
export const find = async (db: Database, id: string, viewer: Viewer): Promise<StoredCluster | undefined> =>
  (await findVisible(db, [id, JSON.stringify(viewer)])).map(parseCluster)[0]

/** For the system itself, which sees every cluster. */
export const findAny = async (db: Queryable, id: string): Promise<StoredCluster | undefined> =>
  (await parsed(clusters(db).where('clusters.id', '=', id)))[0]
/** The same, but fails unless the cluster is in a cloud. */
export const findInCloud = async (db: Queryable, id: string): Promise<CloudCluster | undefined> => {
  const cluster = await findAny(db, id)
  return cluster && requireCloud(cluster)
}

export const withFastRestore = (db: Queryable): Promise<CloudCluster[]> =>
  inClouds(clusters(db).where(sql<boolean>`clusters.fast_restore <> '[]'::jsonb`))

/** Clusters of a provider that have disks or left some behind. */
export const withDisks = (db: Queryable, provider: string): Promise<CloudCluster[]> =>
  inClouds(
    clusters(db)
      .where('clusters.provider', '=', provider)
      .where(sql<boolean>`(clusters.deployed is not null or clusters.kept_ids <> '[]'::jsonb)`),
  )

export const withUnsealedRhelKey = (db: Queryable) =>
  db
    .selectFrom('clusters')
    .select('id')
    .where(sql<boolean>`coalesce(data->>'rhel_activation_key', '') <> ''`)
    .execute()

/** Clusters in clouds whose machines may be running although no one polls them. */
export const withUnpolledMachines = (db: Queryable): Promise<CloudCluster[]> =>
  inClouds(
    clusters(db)
      .where('clusters.provider', '<>', 'local')
      .where('clusters.deployed', 'is not', null)
      .where('clusters.state', 'not in', ['available', 'stopped', 'saved', 'destroyed']),
  )

/** Running clusters in clouds: all of them, or those that this person looks after. */
export const runningInClouds = (db: Queryable, viewer?: Viewer): Promise<CloudCluster[]> =>
  inClouds(
    clusters(db)
      .where('clusters.provider', '<>', 'local')
      .where('clusters.deployed', 'is not', null)
      .where('clusters.state', '=', 'available')
      .where(viewer ? managedBy('clusters', viewer) : sql<boolean>`true`)
      .orderBy('clusters.name'),
  )

const findOne = prepare<FoundRow>('find a polled cluster', (db) =>
  clusters(db)
    .where('clusters.id', '=', sql<string>`$1`)
    .compile(),
)
/** The same as a prepared statement, for the poller, which runs it constantly. */
export const findPolled = async (db: Database, id: string): Promise<StoredCluster | undefined> =>
  (await findOne(db, [id])).map(parseCluster)[0]

export const list = (db: Queryable, viewer: Viewer, limit: number, after?: Cursor) =>
  parsed(
    clusters(db)
      .where(visibleTo('clusters', viewer))
      .$call(newestFirst('clusters', limit, after)),
  )

export const idsVisibleTo = async (db: Queryable, viewer: Viewer): Promise<string[]> =>
  (await db.selectFrom('clusters').select('id').where(visibleTo('clusters', viewer)).execute()).map(
    (row) => row.id,
  )

export const namesVisibleTo = (db: Queryable, viewer: Viewer) =>
  db
    .selectFrom('clusters')
    .select(['id', 'name'])
    .where(visibleTo('clusters', viewer))
    .orderBy('name')
    .execute()

/** Clusters that are polled. A stopped cluster in a cloud has no machine that could answer. */
const polled = sql<boolean>`(state = 'available' or (state = 'stopped' and provider = 'local'))`
export const idsInUse = async (db: Queryable): Promise<string[]> =>
  (await db.selectFrom('clusters').select('id').where(polled).execute()).map((row) => row.id)
export const isPolled = async (db: Queryable, id: string): Promise<boolean> =>
  (await db.selectFrom('clusters').select('id').where('id', '=', id).where(polled).executeTakeFirst()) !==
  undefined

/** Clusters that are not polled but may still have machines or disks, and those of `ids` that are not polled. */
export const unpolled = (db: Queryable, ids: string[]): Promise<StoredCluster[]> =>
  parsed(
    clusters(db)
      .where(sql<boolean>`not ${polled}`)
      .where(sql<boolean>`(clusters.deployed is not null or clusters.id = any(${ids}))`),
  )

/** Notifies the leader, which polls the clusters, to poll this one. */
export const notifyLeader = (db: Queryable, clusterId: string) =>
  sql`select pg_notify(${LEADER_CHANNEL}, ${clusterId})`.execute(db)

const jsonColumns = [
  'data',
  'info',
  'up_nodes',
  'deployed',
  'plan',
  'fast_restore',
  'kept_ids',
] as const satisfies (keyof JsonColumns)[]
/** The values with JSON columns serialized for writing. */
const written = <Values extends JsonColumns>(values: Values) => ({
  ...values,
  ...(Object.fromEntries(
    jsonColumns
      .filter((column) => values[column] !== undefined && values[column] !== null)
      .map((column) => [column, JSON.stringify(values[column])]),
  ) as { [Column in keyof JsonColumns]: string }),
})

export type NewCluster = Omit<Insertable<ClusterRow>, keyof JsonColumns> & JsonColumns & { data: object }
export const insert = (tx: Transaction, row: NewCluster) =>
  tx.insertInto('clusters').values(written(row)).execute()

export type ClusterChanges = Omit<Updateable<ClusterRow>, keyof JsonColumns> & JsonColumns
export const update = (db: Queryable, id: string, values: ClusterChanges) =>
  db.updateTable('clusters').set(written(values)).where('id', '=', id).execute()

/** Locks the row, so that of two concurrent actions the second sees the state that the first one set. */
export const lock = (tx: Transaction, id: string) =>
  tx.selectFrom('clusters').select(['id', 'state']).where('id', '=', id).forUpdate().executeTakeFirst()

export const remove = (tx: Transaction, id: string) =>
  tx.deleteFrom('clusters').where('id', '=', id).execute()

/** Users who have a workshop seat on this cluster. */
export const usersOfSeats = async (db: Queryable, clusterId: string): Promise<string[]> =>
  (
    await db.selectFrom('training_seats').select('user_id').where('cluster_id', '=', clusterId).execute()
  ).flatMap(({ user_id }) => user_id ?? [])
export const { addLine, addLines, logs } = logLines('cluster_logs')

/** The runs in progress on these clusters. */
export const runsOf = (db: Queryable, clusterIds: string[]) =>
  clusterIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('cluster_runs')
        .select(['cluster_id', 'action', 'began_at', 'actor'])
        .where('cluster_id', 'in', clusterIds)
        .where('ended_at', 'is', null)
        .execute()
/** How many jobs of one person are in the queues of these clusters, by state. */
export const jobCountsOf = (db: Queryable, clusterIds: string[], owner: JobOwner) =>
  db
    .selectFrom('cluster_queue')
    .select(['cluster_id', sql<string>`data->>'state'`.as('state'), sql<number>`count(*)::int`.as('jobs')])
    .where('cluster_id', 'in', [...clusterIds, ''])
    .where(isJobOf(owner))
    .groupBy(['cluster_id', sql`data->>'state'`])
    .execute()
/** The last failed action on each of these clusters. */
export const lastActions = (db: Queryable, clusterIds: string[]) =>
  clusterIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('cluster_runs')
        .distinctOn('cluster_id')
        .select(['cluster_id', 'action'])
        .where('cluster_id', 'in', clusterIds)
        .where('cause', 'is not', null)
        .orderBy('cluster_id')
        .orderBy('began_at', 'desc')
        .execute()
export const madeWith = (db: Queryable, credentialIds: string[]) =>
  db
    .selectFrom('clusters')
    .select(['id', 'name', 'credential_id as credentialId'])
    .where('credential_id', 'in', credentialIds)
    .orderBy('name')
    // Border: credential ids that match a list are not null.
    .$narrowType<{ credentialId: string }>()
    .execute()

/** Activities of one person, or of everyone. */
export const activities = (
  db: Queryable,
  clusterId: string,
  actorId: string | undefined,
  limit: number,
  after: Cursor | undefined,
) =>
  db
    .selectFrom('activities')
    .select(['id', 'time', 'actor', 'action', 'subject', 'detail'])
    .where('cluster_id', '=', clusterId)
    .$if(actorId !== undefined, (query) => query.where('actor_id', '=', actorId ?? ''))
    .where(after ? sql<boolean>`id < ${after.id}::bigint` : sql<boolean>`true`)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export const isAdmin = async (db: Queryable, userId: string | null): Promise<boolean> =>
  (await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where(isAdminSql(sql`role`))
    .executeTakeFirst()) !== undefined
