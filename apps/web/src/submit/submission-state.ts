import type { Submission } from '@flotilla/contract/jobs/jobs'
import type { Tone } from '../ui/tone'

type State = Submission['state']

/** One word and one color for each state, wherever a job is shown. */
export const submissionStates: Record<State, { word: string; tone: Tone }> = {
  submitting: { word: 'Submitting', tone: 'blue' },
  queued: { word: 'Queued', tone: 'gray' },
  blocked: { word: 'Blocked', tone: 'amber' },
  running: { word: 'Running', tone: 'blue' },
  completed: { word: 'Completed', tone: 'green' },
  failed: { word: 'Failed', tone: 'red' },
  canceled: { word: 'Canceled', tone: 'gray' },
  lost: { word: 'Lost', tone: 'red' },
}
export const stateWord = (state: State): string => submissionStates[state].word
export const stateTone = (state: State): Tone => submissionStates[state].tone
