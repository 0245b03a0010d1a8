import { createStore } from '../../../../store'
import type { ClusterFile } from '../../yaml/cluster-yaml'

/**
 * The last imported file, kept until the page is reloaded, because it is too long for a URL. Each import has its own
 * number.
 */
export const imported = createStore<{ values: ClusterFile; number: number } | null>(null)

export const setImported = (values: ClusterFile): void =>
  imported.set({ values, number: (imported.get()?.number ?? 0) + 1 })
