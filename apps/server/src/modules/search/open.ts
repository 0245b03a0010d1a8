import { search as calls } from '@flotilla/contract/site/search'
import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import { makeSearch } from './search'

export function openSearch({ db }: { db: Database }) {
  const search = makeSearch(db)
  return { bind: (bind: Bind) => bind(calls.find, ({ query }, me) => search.find(me, query.text)) }
}
