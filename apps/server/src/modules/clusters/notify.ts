import type { Transaction } from '../../db/database'
import { notifyIdentityChanged, notifyChange } from '../../live/live'
import * as store from './store'

/** Notifies everyone who can see this cluster that it changed. */
export const notifyClustersChanged = (tx: Transaction, id: string) => notifyChange(tx, 'clusters', id)

/** Notifies users who have a workshop seat on the cluster: they lose access when the workshop's owner does. */
export async function notifySeats(tx: Transaction, id: string): Promise<void> {
  for (const userId of await store.usersOfSeats(tx, id)) await notifyIdentityChanged(tx, userId)
}
