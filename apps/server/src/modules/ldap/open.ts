import type { Logger } from 'pino'
import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { AuditSource } from '../../http/caller'
import type { RuntimeConfigFiles } from '../../runtime/runtime'
import type { Secrets } from '../../secrets/secrets'
import type { Users } from '../users/users'
import { makeAccounts } from './accounts'
import { makeCheck } from './check'
import { makeLdap } from './ldap'
import { bindLdap } from './routes'
import { makeServers } from './servers'

type Deps = {
  db: Database
  secrets: Secrets
  users: Users
  /** The audit source of actions by the console itself. */
  system: AuditSource
  runtime: RuntimeConfigFiles
  log: Logger
  now: () => number
}

export function openLdap({ db, secrets, users, system, runtime, log, now }: Deps) {
  const accounts = makeAccounts(users, system, now)
  const servers = makeServers({ db, secrets, accounts, now })
  const api = makeLdap({ db, servers, accounts, runtime, log, now })
  return {
    api: { ...api, statuses: servers.statuses },
    bind: (bind: Bind) => bindLdap(bind, api, servers, now),
    sweep: makeCheck({ db, servers, accounts, log, now }),
  }
}
