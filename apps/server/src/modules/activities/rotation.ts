import type { Transaction } from '../../db/database'
import type { Secrets } from '../../secrets/secrets'
import { record } from './activities'
import { commandSource } from './open'

/** Records a rotation of the master key; `secrets` has the key that is still current. */
export const recordRotation = async (tx: Transaction, secrets: Secrets): Promise<void> =>
  record(tx, null, await commandSource(tx, secrets), {
    action: 'rotated',
    subject: { kind: 'master key', id: 'master-key', name: 'master key' },
  })
