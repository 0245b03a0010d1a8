import type { Logger } from 'pino'
import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import { makeActivities } from './activities'
import { makeRefusals } from './refusals'
import { bindActivities } from './routes'

type Deps = { db: Database; log: Logger; now: () => number }

export function openActivities(deps: Deps) {
  const { sweep, stop, ...api } = makeRefusals(deps)
  return { api, bind: (bind: Bind) => bindActivities(bind, makeActivities(deps.db)), sweep, stop }
}
