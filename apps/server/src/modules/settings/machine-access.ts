import { type SecuritySettings, type SelfRegisteredAccess } from '@flotilla/contract/site/settings'
import { machineBlocked, type MachineAccess } from '@flotilla/contract/site/ui'
import type { Database } from '../../db/database'
import * as store from './store'

const accessOf: Record<SelfRegisteredAccess, MachineAccess> = {
  immediately: 'allowed',
  'after-approval': 'waiting',
  never: 'refused',
}

/**
 * Who may use the console's own machine: admins, users whom an admin created or approved, and self-registered users as
 * the site's setting says. Decides about everything that runs there under a user's account.
 */
export const makeMachineAccess = (db: Database, security: () => Promise<SecuritySettings>) => {
  const forUnapproved = async (): Promise<SelfRegisteredAccess> => {
    const { selfRegisteredAccess, selfRegisteredDefault } = await security()
    return selfRegisteredAccess ?? selfRegisteredDefault
  }
  const of = async (userId: string): Promise<MachineAccess> =>
    (await store.isUnapproved(db, userId)) ? accessOf[await forUnapproved()] : 'allowed'
  return {
    of,
    /** Why this user may not use this machine, or null. */
    async blockedReason(userId: string): Promise<string | null> {
      const access = await of(userId)
      return access === 'allowed' ? null : machineBlocked[access]
    },
    /** Whether self-registered users may use this machine without approval. */
    openToAnyone: async (): Promise<boolean> => (await forUnapproved()) === 'immediately',
    /** The number of users who wait for approval. */
    waiting: async (): Promise<number> =>
      (await forUnapproved()) === 'after-approval' ? store.countUnapproved(db.kysely) : 0,
  }
}
