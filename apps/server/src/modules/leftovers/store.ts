import { sql, type Insertable } from 'kysely'
import { CloudResource } from '@flotilla/contract/clusters/cloud'
import type { Database, Queryable, Transaction } from '../../db/database'
import type { Tables } from '../../db/tables'

/** Where our resources can be: every region that a credential was ever used in. */
export const places = async (db: Queryable): Promise<{ credential_id: string; regions: string[] }[]> =>
  (
    await sql<{ credential_id: string; regions: string[] }>`
      select c.id as credential_id,
        coalesce(
          -- A MAAS has no regions.
          array_agg(distinct coalesce(k.region_id, '')) filter (where k.region_id <> '' or c.provider = 'maas'), '{}'
        ) as regions
      from credentials c left join (
        select credential_id, data->'network'->>'region_id' as region_id from clusters
        union all select credential_id, data->>'region_id' from stacks
        -- Also where something was made by what is deleted now.
        union all select credential_id, region from credential_regions
        union all select credential_id, region from leftovers
      ) k on k.credential_id = c.id group by c.id`.execute(db)
  ).rows.filter(({ regions }) => regions.length > 0)

/**
 * Called before something is created there: leftovers are searched for from then on, even after the cluster is deleted.
 */
export const notePlace = (db: Queryable, credentialId: string, region: string) =>
  db
    .insertInto('credential_regions')
    .values({ credential_id: credentialId, region })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** The only place where the JSON of a leftover is parsed. */
const parsed = <Row extends { resource: unknown }>(rows: Row[]) =>
  rows.map((row) => ({ ...row, resource: CloudResource.parse(row.resource) }))

export const madeWith = async (db: Queryable, credentialIds: string[]) =>
  parsed(
    await db
      .selectFrom('leftovers')
      .select(['credential_id as credentialId', 'resource', sql<string>`md5(key)`.as('id')])
      .where('credential_id', 'in', credentialIds)
      .orderBy('key')
      .execute(),
  )

/** Resources that belong to these are not leftovers. */
export const clustersInUse = async (db: Queryable): Promise<string[]> =>
  (
    await db
      .selectFrom('clusters')
      .select('id')
      .where('state', 'not in', ['saved', 'destroyed'])
      // The machines of a build in progress have the tag of a cluster, so that they are found if the build breaks.
      .union(db.selectFrom('stacks').select('id').where('state', 'in', ['building', 'customize']))
      .execute()
  ).map(({ id }) => id)

export const replace = (
  db: Database,
  credentialId: string,
  rows: Insertable<Tables['leftovers']>[],
  at: Date,
  failure: string | null,
) =>
  db.transaction(async (tx) => {
    await tx.deleteFrom('leftovers').where('credential_id', '=', credentialId).execute()
    if (rows.length > 0) await tx.insertInto('leftovers').values(rows).execute()
    await failed(tx, credentialId, at, failure)
  })

export const failed = (db: Queryable, credentialId: string, at: Date, failure: string | null) =>
  db
    .insertInto('leftover_searches')
    .values({ credential_id: credentialId, searched_at: at, failure })
    .onConflict((conflict) => conflict.column('credential_id').doUpdateSet({ searched_at: at, failure }))
    .execute()

export const list = async (db: Queryable) =>
  parsed(
    await db
      .selectFrom('leftovers')
      .leftJoin('credentials', 'credentials.id', 'leftovers.credential_id')
      .leftJoin('clusters', 'clusters.id', 'leftovers.cluster_id')
      .selectAll('leftovers')
      .select(['credentials.name as credential', 'clusters.name as cluster'])
      .orderBy('leftovers.found_at', 'desc')
      .orderBy('leftovers.key')
      .execute(),
  )

export const searches = (db: Queryable) =>
  db
    .selectFrom('leftover_searches')
    .leftJoin('credentials', 'credentials.id', 'leftover_searches.credential_id')
    .select(['searched_at', 'failure', 'credentials.name as credential'])
    .execute()

export const find = async (db: Queryable, keys: string[]) =>
  parsed(await db.selectFrom('leftovers').selectAll().where('key', 'in', keys).execute())

export const remove = (tx: Transaction, key: string) =>
  tx.deleteFrom('leftovers').where('key', '=', key).execute()
