import type { BulkFailure } from './bulk-work'

type Failed = { title: string; failures: readonly BulkFailure[] } | null

let failed: Failed = null
const listeners = new Set<() => void>()

/** The rows that the last bulk action failed for, until the user has read why. */
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
