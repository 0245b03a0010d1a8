import * as z from 'zod/mini'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { leftovers } from '@flotilla/contract/clusters/leftovers'
import type { Database } from '../../db/database'
import { explain } from '../../explain'
import { defineTask, handle, type Handler } from '../../queue/task'
import type { CredentialData } from '../../providers/fields/credential-data'
import type { Catalog, Driver, FoundResource } from '../../providers/provider'
import { priceOfFound } from '../../providers/price'
import type { Caller, RequestContext } from '../../http/caller'
import { inRemovalOrder } from '../../providers/found'
import { record } from '../activities/activities'
import type { UsedBy } from '../credentials/credentials'
import * as store from './store'

/** Leftovers in a cloud can only be removed with the credential that they were created with. */
export const leftoversMadeWith: UsedBy = async (db, credentialIds) =>
  (await store.madeWith(db, credentialIds)).map(({ resource, ...left }) => ({
    kind: 'leftover',
    name: nameOf(resource),
    ...left,
  }))

export const leftoversTask = defineTask('search-leftovers', z.object({}))

type Options = {
  db: Database
  credential(id: string): Promise<{ provider: ProviderId; data: CredentialData }>
  driver(provider: ProviderId, credential: CredentialData, region: string): Promise<Driver>
  catalog(provider: ProviderId, region: string): Promise<Catalog | null>
  /** Queries a cloud, and explains why it did not respond. */
  queryCloud<T>(provider: ProviderId, data: CredentialData, work: () => Promise<T>): Promise<T>
  now: () => number
}
type Found = z.infer<typeof leftovers.list.reply>
const REMOVE_MS = 10 * 60_000

/** Identifies a leftover: a cloud's ids are not unique among clouds. */
const keyOf = (credentialId: string, { type, id, region }: FoundResource) =>
  `${credentialId} ${region} ${type} ${id}`

const nameOf = ({ type, name, id }: Pick<FoundResource, 'type' | 'name' | 'id'>): string =>
  `${type} ${name || id}`

export type Leftovers = ReturnType<typeof makeLeftovers>
/** Resources in a cloud that have our tag, but belong to no cluster that is deployed or being worked on. */
export function makeLeftovers({ db, credential, driver, catalog, queryCloud, now }: Options) {
  const searchWith = async (
    { credential_id, regions }: { credential_id: string; regions: string[] },
    inUse: ReadonlySet<string>,
  ): Promise<void> => {
    const at = new Date(now())
    try {
      const { provider, data } = await credential(credential_id)
      const rows = []
      for (const region of regions) {
        const found = await queryCloud(provider, data, async () =>
          (await driver(provider, data, region)).find(null),
        )
        const prices = await catalog(provider, region)
        rows.push(
          ...found
            .filter(({ clusterId }) => clusterId === null || !inUse.has(clusterId))
            .map((one) => ({
              key: keyOf(credential_id, one),
              provider,
              credential_id,
              region,
              cluster_id: one.clusterId,
              resource: JSON.stringify({ ...one, perHour: one.perHour ?? priceOfFound(prices, one) }),
              found_at: at,
            })),
        )
      }
      // A resource that is in no region is found in every region.
      const once = new Map(rows.map((row) => [row.key, row]))
      await store.replace(db, credential_id, [...once.values()], at, null)
    } catch (error) {
      // What was found before stays on the list: a failed search does not mean that nothing is left.
      await store.failed(db.kysely, credential_id, at, explain(error))
    }
  }
  const search = async (): Promise<void> => {
    const places = await store.places(db.kysely)
    const inUse = new Set(await store.clustersInUse(db.kysely))
    for (const place of places) await searchWith(place, inUse)
  }

  const list = async (): Promise<Found> => {
    const [rows, searches] = await Promise.all([store.list(db.kysely), store.searches(db.kysely)])
    const times = searches.map(({ searched_at }) => searched_at.getTime())
    return {
      leftovers: rows.map((row) => ({
        ...row.resource,
        key: row.key,
        provider: row.provider,
        region: row.region,
        credential: row.credential ?? 'deleted',
        cluster: row.cluster,
        foundAt: row.found_at.getTime(),
      })),
      searchedAt: times.length === 0 ? null : Math.max(...times),
      failures: searches.flatMap(({ credential: name, failure }) =>
        failure === null ? [] : [{ credential: name ?? 'deleted', reason: failure }],
      ),
    }
  }

  return {
    list,
    notePlace: store.notePlace,
    /** Searches at the end of a destroy that kept disks, so that they are on the list before anyone opens it. */
    async searchAfter(cluster: { id: string; credential_id: string | null }): Promise<void> {
      const places = await store.places(db.kysely)
      const place = places.find(({ credential_id }) => credential_id === cluster.credential_id)
      // The cluster itself is still being destroyed for as long as this takes.
      const inUse = (await store.clustersInUse(db.kysely)).filter((id) => id !== cluster.id)
      if (place) await searchWith(place, new Set(inUse))
    },
    async search(): Promise<Found> {
      await search()
      return list()
    },
    async remove(me: Caller, keys: string[], context: RequestContext) {
      const removed: string[] = []
      const failed: { key: string; reason: string }[] = []
      const rows = (await store.find(db.kysely, keys)).map((row) => ({
        row,
        resource: {
          ...row.resource,
          clusterId: row.cluster_id,
          region: row.region,
        },
      }))
      for (const { row, resource } of inRemovalOrder(rows, ({ resource: { kind } }) => kind)) {
        await context.recheck()
        try {
          // Checked again for each one: a cluster may have started to use it while others were removed.
          const inUse = await store.clustersInUse(db.kysely)
          if (row.cluster_id !== null && inUse.includes(row.cluster_id))
            throw new Error('A cluster uses it now')
          const { provider, data } = await credential(row.credential_id)
          await queryCloud(provider, data, async () => {
            const cloud = await driver(provider, data, row.region)
            await cloud.remove(resource, AbortSignal.timeout(REMOVE_MS))
          })
          await db.transaction(async (tx) => {
            await store.remove(tx, row.key)
            await record(tx, me, context, {
              action: 'leftover removed',
              subject: {
                kind: 'leftover',
                id: resource.id,
                name: nameOf(resource),
              },
              detail: `${provider} ${row.region}`,
            })
          })
          removed.push(row.key)
        } catch (error) {
          failed.push({ key: row.key, reason: explain(error) })
        }
      }
      return { removed, failed }
    },
    handler: handle(leftoversTask, () => search()) satisfies Handler,
  }
}
