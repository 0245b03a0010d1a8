import type { Submission } from '@flotilla/contract/jobs/jobs'

const ended: readonly Submission['state'][] = ['completed', 'failed', 'timed_out', 'canceled', 'lost']

/** Whether a submission has ended, in whatever way. */
export const isOver = (state: Submission['state']): boolean => ended.includes(state)
