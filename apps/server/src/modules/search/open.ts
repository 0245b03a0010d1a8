import { search as calls } from '@flotilla/contract/site/search'
import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import { makeSearch, type StartableApps } from './search'

export function openSearch({ db, apps }: { db: Database; apps: StartableApps }) {
  const search = makeSearch(db, apps)
  return { bind: (bind: Bind) => bind(calls.find, ({ query }, me) => search.find(me, query.text)) }
}
