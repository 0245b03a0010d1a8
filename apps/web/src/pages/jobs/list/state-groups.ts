import type { Job, Submission } from '@flotilla/contract/jobs/jobs'
import type { Tone } from '../../../ui/status/tone'

type Group = 'running' | 'waiting' | 'completed' | 'failed' | 'canceled' | 'never'

const groupOfState: Record<Submission['state'], Group> = {
  submitting: 'waiting',
  queued: 'waiting',
  blocked: 'waiting',
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  timed_out: 'failed',
  lost: 'failed',
  canceled: 'canceled',
}
const groups: Record<Group, { text: string; tone: Tone }> = {
  running: { text: 'Running', tone: 'blue' },
  waiting: { text: 'Waiting', tone: 'gray' },
  completed: { text: 'Completed', tone: 'green' },
  failed: { text: 'Failed', tone: 'red' },
  canceled: { text: 'Canceled', tone: 'gray' },
  never: { text: 'Never submitted', tone: 'gray' },
}

const groupOf = ({ lastSubmission: last }: Job): Group => (last ? groupOfState[last.state] : 'never')

/**
 * The filter of a chip; undefined for all jobs. Each group always returns the same function, so that rows are not
 * filtered again on every render.
 */
export const inGroup = (state: string | undefined): ((job: Job) => boolean) | undefined =>
  state === undefined ? undefined : (filters.get(state) ?? none)
const filters = new Map(
  Object.keys(groups).map((group) => [group, (job: Job) => groupOf(job) === group] as const),
)
const none = () => false

/** The number of jobs in each group, by their last submission. Empty groups are omitted unless chosen. */
export const groupCounts = (jobs: readonly Job[], chosen: string | undefined) => {
  const found = jobs.map(groupOf)
  return Object.entries(groups)
    .map(([state, group]) => ({ state, ...group, count: found.filter((one) => one === state).length }))
    .filter(({ state, count }) => count > 0 || state === chosen)
}
