import type { Transaction } from '../../db/database'
import type { Secrets } from '../../secrets/secrets'
import { record } from './activities'
import { commandSource } from './open'

/** Writes that the master key is replaced, with the key that is still the current one. */
export const recordRotation = async (tx: Transaction, secrets: Secrets): Promise<void> =>
  record(tx, null, await commandSource(tx, secrets), {
    action: 'rotated',
    subject: { kind: 'master key', id: 'master-key', name: 'master key' },
  })
