import { createStore } from '../../../store'
import type { ClusterFile } from '../yaml/cluster-yaml'

/** What was last read from a file, until the page is loaded anew: it is too long for an address. */
export const imported = createStore<ClusterFile | null>(null)
