import type { XmlRecord } from './xml'

/** What Torque's and Maui's schedulers write into a job's comment. */
const comments: [RegExp, string][] = [
  [
    /Not enough of the right type of nodes|insufficient.*(nodes|resources)|No available resources/i,
    'Waiting for free cores: other jobs are running',
  ],
  [
    /never run|not feasible|exceeds.*(total|configured)/i,
    'Cannot start: no nodes of the cluster have what it asks for',
  ],
  [/Draining system|starving/i, 'Waiting its turn: nodes are being kept free for a job that has waited long'],
  [
    /(User|Group|Server|Queue).*(limit|max)/i,
    'Waiting because as many jobs run for its owner, group or queue as may',
  ],
  [/Queue not started|queue.*stopped/i, 'The queue starts no jobs now'],
  [/dedicated time|prime.?time/i, 'Waiting for the time of day in which such jobs run'],
  [/deferred/i, 'Put off by the scheduler after a failed start; it tries again by itself'],
  [/higher priority/i, 'Waiting its turn: jobs with a higher priority come first'],
]

/** Why a job waits; comments that nobody here has heard of are shown as they are. */
export function explainWait(job: XmlRecord): string {
  if (job.job_state === 'W') return 'Waiting for the start time that was asked for'
  if (job.job_state === 'T') return 'On its way to another queue or server'
  if (job.job_state === 'H') {
    if (job.depend) return 'Waiting for another job that has to end first'
    return job.Hold_Types?.includes('u')
      ? 'Held by its owner; release it to let it start'
      : 'Held by an administrator, who has to release it'
  }
  const said = (job.comment ?? '').replace(/^Not Running: */i, '')
  if (!said || said.startsWith('Job started on')) return 'Waiting for the scheduler to look at it'
  return (
    comments.find(([pattern]) => pattern.test(said))?.[1] ?? `Torque gives the reason ${JSON.stringify(said)}`
  )
}
