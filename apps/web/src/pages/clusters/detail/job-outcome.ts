import type { QueuedJob } from '@flotilla/contract/clusters-tables'
import { submissionStates } from '../../../submit/submission-state'
import type { Tone } from '../../../ui/tone'

type Ended = Pick<QueuedJob, 'state' | 'nativeState' | 'reason' | 'exitCode'>

/** Slurm and the built-in executor say it in their state, Torque only in why it ended. */
const wasCanceled = ({ nativeState, reason }: Ended): boolean =>
  /^(CANCELL?ED|PREEMPTED|REVOKED)\b/.test(nativeState) || /^cancell?ed\b/i.test(reason)

/** The queue knows only that a job has ended; how it did is in what the resource manager says of it. */
export function outcomeOf(job: Ended): { word: string; tone: Tone } {
  const { state, exitCode, reason } = job
  if (state !== 'completed') return submissionStates[state]
  if (wasCanceled(job)) return submissionStates.canceled
  // One that ended well has no reason.
  return submissionStates[exitCode || reason !== '' ? 'failed' : 'completed']
}

/** Nothing where it would only repeat the state. */
export const reasonOf = (job: Ended): string =>
  job.state === 'completed' && /^cancell?ed$/i.test(job.reason) ? '' : job.reason
