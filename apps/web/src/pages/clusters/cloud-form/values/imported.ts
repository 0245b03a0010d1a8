import { createStore } from '../../../../store'
import type { ClusterFile } from '../../yaml/cluster-yaml'

/** The last imported file, until the page is reloaded: it is too long for a URL. */
export const imported = createStore<ClusterFile | null>(null)
