import type { Submission } from '@flotilla/contract/jobs/jobs'
import type { Tone } from '../ui/status/tone'

type State = Submission['state']

/** One label and one color for each state, wherever a job is shown. */
export const submissionStates: Record<State, { label: string; tone: Tone }> = {
  submitting: { label: 'Submitting', tone: 'blue' },
  queued: { label: 'Queued', tone: 'gray' },
  blocked: { label: 'Blocked', tone: 'amber' },
  running: { label: 'Running', tone: 'blue' },
  completed: { label: 'Completed', tone: 'green' },
  failed: { label: 'Failed', tone: 'red' },
  timed_out: { label: 'Timed out', tone: 'amber' },
  canceled: { label: 'Canceled', tone: 'gray' },
  lost: { label: 'Lost', tone: 'red' },
}
export const stateLabel = (state: State): string => submissionStates[state].label
export const stateTone = (state: State): Tone => submissionStates[state].tone
