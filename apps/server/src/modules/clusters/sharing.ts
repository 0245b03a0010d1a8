import type { Transaction } from '../../db/database'
import { notifyIdentityChanged } from '../../live/live'
import * as store from './store'

/** Sets who else may use a cluster. Both the new and the previous collaborators are notified. */
export async function share(
  tx: Transaction,
  id: string,
  collaborators: string[],
  before: readonly { id: string }[] = [],
): Promise<void> {
  await store.setCollaborators(tx, id, collaborators)
  for (const userId of [...collaborators, ...before.map((one) => one.id)])
    await notifyIdentityChanged(tx, userId)
}
