import type { Migration } from '../migrate'
import { people } from './0001-people'
import { clusters } from './0002-clusters'

/** In the order they are applied. What has been released is never edited: a change is a new one. */
export const migrations: Migration[] = [
  { id: 1, name: 'people', sql: people },
  { id: 2, name: 'clusters', sql: clusters },
]
