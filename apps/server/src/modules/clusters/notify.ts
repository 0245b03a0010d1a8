import type { Transaction } from '../../db/database'
import { publish, roleRoom, thingRoom } from '../../live/live'

/** Notifies everyone who can see this cluster that it changed. */
export const notifyClustersChanged = (tx: Transaction, id: string) =>
  publish(tx, [thingRoom('clusters', id), roleRoom('admin')], {
    event: 'change',
    data: { changed: 'clusters' },
  })
