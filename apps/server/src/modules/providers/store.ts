import type { ProviderId } from '@flotilla/contract/site/config'
import type { InstanceSize } from '@flotilla/contract/clouds/providers'
import type { Queryable } from '../../db/database'
import type { OtherPrices } from '../../providers/provider'

export type Synced = {
  provider: ProviderId
  region: string
  source: string
  synced_at: Date
  sizes: InstanceSize[]
  prices: Record<string, number>
  beside: OtherPrices
}

/** When each region was synced: enough to know whether something changed. */
export const marks = (db: Queryable) =>
  db.selectFrom('synced_sizes').select(['provider', 'region', 'synced_at']).execute()

export const synced = (db: Queryable) => db.selectFrom('synced_sizes').selectAll().execute()

export async function keep(db: Queryable, { sizes, prices, beside, ...row }: Synced): Promise<void> {
  const values = {
    ...row,
    sizes: JSON.stringify(sizes),
    prices: JSON.stringify(prices),
    beside: JSON.stringify(beside),
  }
  await db
    .insertInto('synced_sizes')
    .values(values)
    .onConflict((found) => found.columns(['provider', 'region']).doUpdateSet(values))
    .execute()
}
