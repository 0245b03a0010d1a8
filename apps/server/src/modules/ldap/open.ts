import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import { makeLdap } from './ldap'
import { bindLdap } from './routes'

export const openLdap = ({ db }: { db: Database }) => ({
  bind: (bind: Bind) => bindLdap(bind, makeLdap(db)),
})
