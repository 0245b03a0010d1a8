import type { Database } from '../../db/database'
import type { AuditSource } from '../../http/caller'
import type { BindSocket } from '../../http/socket-bind'
import type { ClusterAccess } from '../clusters/open'
import type { Sessions } from '../sessions/sessions'
import { bindTerminals } from './socket'
import { makeTerminals } from './terminals'

type Deps = { db: Database; access: ClusterAccess; sessions: Sessions; system: AuditSource }

export function openTerminals({ db, access, sessions, system }: Deps) {
  const terminals = makeTerminals(db, access, sessions.caller, system)
  return {
    bindSocket: (bindSocket: BindSocket) => bindTerminals(bindSocket, terminals),
    identityChanged: terminals.recheck,
    stop: terminals.closeAll,
  }
}
