import type { BulkFailure } from './bulk-work'

type Failed = { title: string; failures: readonly BulkFailure[] } | null

let failed: Failed = null
const listeners = new Set<() => void>()

/** The rows for which the last bulk action failed, until the user closes the list of reasons. */
export const failedRows = {
  shown: () => failed,
  show(next: Failed) {
    failed = next
    for (const listener of listeners) listener()
  },
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
