import type { AuditChange } from '@flotilla/contract/people/audit'
import { changesOf } from '../../changes'
import type { Transaction } from '../../db/database'
import { notifyIdentityChanged } from '../../live/live'
import { collaboratorChanges } from '../sharing/sharing'
import * as store from './store'
import type { StoredCluster } from './stored-cluster'

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

type Sealed = { sealed_given_key?: string | null; sealed_activation_key?: string | null }
/** Secrets under the names that people know them by. */
const named = <Columns extends Sealed>({ sealed_given_key, sealed_activation_key, ...columns }: Columns) => ({
  ...columns,
  'data.head.privateKey': sealed_given_key,
  'data.rhel_activation_key': sealed_activation_key,
})
/** What an edit changes, for the audit trail. */
export const clusterChanges = (
  before: StoredCluster,
  columns: Sealed,
  collaborators: readonly string[] | undefined,
): AuditChange[] => [
  ...changesOf(named(before), named(columns), ['data.head.privateKey', 'data.rhel_activation_key']),
  ...collaboratorChanges(before, collaborators),
]
