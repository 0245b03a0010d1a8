import type { CloudClusterInput } from '@flotilla/contract/clusters-cloud'
import { createStore } from '../../../store'

/** What was last read from a file, until the page is loaded anew: it is too long for an address. */
export const imported = createStore<CloudClusterInput | null>(null)
