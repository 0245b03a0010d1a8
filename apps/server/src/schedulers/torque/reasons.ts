import { WAITS_FOR_CORES } from '../placement'
import type { XmlRecord } from './xml'

/** The comments that the schedulers of Torque and Maui write on jobs. */
const comments: [RegExp, string][] = [
  [
    /Not enough of the right type of nodes|insufficient.*(nodes|resources)|No available resources/i,
    WAITS_FOR_CORES,
  ],
  [
    /never run|not feasible|exceeds.*(total|configured)/i,
    'Cannot start: no nodes of the cluster have what it requests',
  ],
  [/Draining system|starving/i, 'Waiting its turn: nodes are reserved for a job that has waited longer'],
  [
    /(User|Group|Server|Queue).*(limit|max)/i,
    'Waiting because its owner, group or queue has reached its limit on running jobs',
  ],
  [/Queue not started|queue.*stopped/i, 'The queue is not starting jobs right now'],
  [/dedicated time|prime.?time/i, 'Waiting for the time of day when such jobs can run'],
  [/deferred/i, 'Deferred by the scheduler after a failed start. It retries automatically.'],
  [/higher priority/i, 'Waiting for higher-priority jobs'],
]

/** Whether it is a task that waits because its array has reached its limit of running tasks; it starts by itself. */
export const isSlotHeld = (job: XmlRecord): boolean => job.job_state === 'H' && job.Hold_Types === 'l'

/** Why a job waits; unknown comments are shown unchanged. */
export function explainWait(job: XmlRecord): string {
  if (job.job_state === 'W') return 'Waiting for its requested start time'
  if (job.job_state === 'T') return 'Being moved to another queue or server'
  if (isSlotHeld(job)) return 'Waiting for other tasks of its array: the maximum number are already running'
  if (job.job_state === 'H') {
    if (job.depend) return 'Waiting for another job to end'
    return job.Hold_Types?.includes('u')
      ? 'Held by its owner. Release it to let it start.'
      : 'Held by an administrator, who has to release it'
  }
  const comment = (job.comment ?? '').replace(/^Not Running: */i, '')
  if (!comment || comment.startsWith('Job started on')) return 'Waiting for the scheduler to consider it'
  return (
    comments.find(([pattern]) => pattern.test(comment))?.[1] ??
    `Reason reported by Torque: ${JSON.stringify(comment)}`
  )
}
