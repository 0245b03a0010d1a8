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
 * Who may use the console's own machine: admins, those whom an admin created or approved, and as the site's setting says
 * those who registered themselves. Everything that runs there under a person's account is decided here.
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
    /** Why this person may not use this machine, or null. */
    async blockedReason(userId: string): Promise<string | null> {
      const access = await of(userId)
      return access === 'allowed' ? null : machineBlocked[access]
    },
    /** Whether people may bring others whom no admin has approved. */
    openToAnyone: async (): Promise<boolean> => (await forUnapproved()) === 'immediately',
    /** How many wait for an admin to approve them. */
    waiting: async (): Promise<number> =>
      (await forUnapproved()) === 'after-approval' ? store.countUnapproved(db.kysely) : 0,
  }
}
