import type { Logger } from 'pino'
import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { ClustersApi } from '../clusters/open'
import { makeFeed } from './feed'
import { bindUsage } from './routes'
import { foldUsage } from './sums/store'
import { makeUsage } from './usage'

type Deps = {
  db: Database
  clusters: Pick<ClustersApi, 'access' | 'costsOf' | 'unpolled' | 'observe'>
  log: Logger
  now: () => number
}

export function openUsage({ db, clusters, log, now }: Deps) {
  const api = makeUsage(db, now)
  clusters.observe(makeFeed({ db, clusters, log, now }))
  return { api, bind: (bind: Bind) => bindUsage(bind, api), sweep: () => foldUsage(db) }
}
