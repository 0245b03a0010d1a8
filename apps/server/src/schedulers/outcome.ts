import type { QueueOutcome } from '@flotilla/contract/clusters/tables'
import type { JobEnding, QueuedJob } from './scheduler'

/** The outcome that users see for each ending. */
export const endings: Record<JobEnding, 'completed' | 'failed' | 'timed_out' | 'canceled'> = {
  succeeded: 'completed',
  failed: 'failed',
  timed_out: 'timed_out',
  node_failed: 'failed',
  canceled: 'canceled',
}

export function outcomeOf({ state, ending, exitCode }: QueuedJob): QueueOutcome {
  if (state !== 'completed') return state
  return endings[ending ?? (exitCode ? 'failed' : 'succeeded')]
}
