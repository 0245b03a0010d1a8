import { mayAccess } from '@flotilla/contract/access'
import { NAV_SEARCH_MAX } from '@flotilla/contract/limits'
import { foundKinds, type Found, type FoundKind } from '@flotilla/contract/site/search'
import type { Database } from '../../db/database'
import type { Caller } from '../../http/caller'
import { viewerOf } from '../sharing/sharing'
import * as store from './store'

/** More words than names have. */
const WORDS_MAX = 8

type Finder = (...given: [...Parameters<store.Finder>, me: Caller]) => ReturnType<store.Finder>
const finders: Record<Exclude<FoundKind, 'app'>, Finder> = {
  job: store.jobs,
  cluster: store.clusters,
  node: store.nodes,
  stack: store.named('stacks'),
  training: store.named('trainings'),
  course: store.named('courses'),
  credential: store.named('credentials'),
  person: store.people,
}

/** The apps that a user may start in a dialog. */
export type StartableApps = (me: Caller) => Promise<{ id: string; name: string; opens: string }[]>

/** Most apps are part of the console and not in a table. */
const appsNamed =
  (list: StartableApps): Finder =>
  async (_db, _viewer, { words, limit }, me) =>
    (await list(me))
      .filter(({ opens }) => opens === 'session')
      .filter(({ name }) => words.every((word) => name.toLowerCase().includes(word.toLowerCase())))
      .slice(0, limit)
      .map(({ id, name }) => ({ id, name, detail: '' }))

/** Finds by name what a user may see. */
export const makeSearch = (db: Database, apps: StartableApps) => ({
  async find(me: Caller, text: string): Promise<Found[]> {
    const wanted = { text, words: text.split(/\s+/).slice(0, WORDS_MAX), limit: NAV_SEARCH_MAX }
    // Border: `entries` loses the type of the keys.
    const kinds = (Object.entries({ ...finders, app: appsNamed(apps) }) as [FoundKind, Finder][]).filter(
      ([kind]) => mayAccess(foundKinds[kind], me.role),
    )
    const found = await Promise.all(
      kinds.map(async ([kind, find]) =>
        (await find(db.kysely, viewerOf(me), wanted, me)).map((row) => ({ kind, clusterId: null, ...row })),
      ),
    )
    return found.flat()
  },
})
