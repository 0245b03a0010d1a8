import type { Transaction } from '../../db/database'
import { publish, roleRoom, thingRoom } from '../../live/live'

/** Everyone who sees this cluster hears that it changed. */
export const notifyClustersChanged = (tx: Transaction, id: string) =>
  publish(tx, [thingRoom('clusters', id), roleRoom('admin')], {
    event: 'change',
    data: { changed: 'clusters' },
  })
