import type { Migration } from '../migrate'
import { people } from './0001-people'
import { clusters } from './0002-clusters'
import { credentials } from './0003-credentials'
import { cloudClusters } from './0004-cloud-clusters'
import { catalogues } from './0006-catalogues'

/** In the order they are applied. What has been released is never edited: a change is a new one. */
export const migrations: Migration[] = [
  { id: 1, name: 'people', sql: people },
  { id: 2, name: 'clusters', sql: clusters },
  { id: 3, name: 'credentials', sql: credentials },
  { id: 4, name: 'cloud-clusters', sql: cloudClusters },
  // Kept free for the stacks (0005), which are on their way.
  { id: 5, name: 'stacks', sql: 'select 1' },
  { id: 6, name: 'catalogues', sql: catalogues },
]
