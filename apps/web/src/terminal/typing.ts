import { createStore } from '../store'

/** Text on its way to the terminal of a cluster, which may still have to open. */
export const typing = createStore<{ clusterId: string; text: string } | null>(null)
