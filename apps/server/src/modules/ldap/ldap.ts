import type { ActiveLdapServer } from '@flotilla/contract/people/ldap'
import type { Database } from '../../db/database'
import * as store from './store'

export type Ldap = ReturnType<typeof makeLdap>
export const makeLdap = (db: Database) => ({
  active: (): Promise<ActiveLdapServer[]> => store.active(db.kysely),
})
