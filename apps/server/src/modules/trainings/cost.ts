import { CURRENCY } from '@flotilla/contract/site/usage'
import type { TrainingCost } from '@flotilla/contract/trainings/entity'
import type { Database } from '../../db/database'
import type { Usage } from '../usage/usage'
import * as seats from './seats/store'
import type { FoundTraining } from './store'

const sum = (prices: (number | null)[]): number | null => {
  const known = prices.filter((price) => price !== null)
  return known.length === 0 ? null : known.reduce((all, price) => all + price, 0)
}

/**
 * The cost of a workshop's machines: of its own clusters since the workshop was created, of a shared cluster from start
 * to end.
 */
export async function costOf(
  db: Database,
  usage: Pick<Usage, 'clusterCosts'>,
  training: FoundTraining,
  now: number,
): Promise<TrainingCost> {
  const isOwn = training.seat_mode === 'own'
  const rows = await seats.seats(db.kysely, training.id)
  const ids = isOwn
    ? rows.flatMap(({ cluster_id, own_cluster }) => (own_cluster ? (cluster_id ?? []) : []))
    : training.cluster_id === null
      ? []
      : [training.cluster_id]
  const end = training.ended_at ?? training.end_time
  const from = isOwn ? training.created_at : training.start_time
  const to = new Date(Math.max(from.getTime(), isOwn ? now : Math.min(now, end.getTime())))
  const costs = to > from ? await usage.clusterCosts(ids, { from, to }) : new Map()
  const of = (id: string | null): { price: number | null; unpricedHours: number } =>
    (id === null ? undefined : costs.get(id)) ?? { price: null, unpricedHours: 0 }
  const price = sum(ids.map((id) => of(id).price))
  const seatsUsed = isOwn ? ids.length : training.seats_taken
  return {
    from: from.getTime(),
    to: to.getTime(),
    price,
    perSeat: price === null || seatsUsed === 0 ? null : price / seatsUsed,
    unpricedHours: ids.reduce((all, id) => all + of(id).unpricedHours, 0),
    currency: CURRENCY,
    seats: isOwn ? rows.map(({ number, cluster_id }) => ({ number, price: of(cluster_id).price })) : [],
  }
}
