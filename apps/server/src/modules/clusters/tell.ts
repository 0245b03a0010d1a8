import type { Transaction } from '../../db/database'
import { clusterRoom, publish, roleRoom } from '../../live/live'

/** Everyone who sees this cluster hears that it changed. */
export const tellClustersChanged = (tx: Transaction, id: string) =>
  publish(tx, [clusterRoom(id), roleRoom('admin')], { event: 'change', data: { changed: 'clusters' } })
