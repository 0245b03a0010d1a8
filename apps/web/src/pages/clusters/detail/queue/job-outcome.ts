import type { QueuedJob } from '@flotilla/contract/clusters/tables'
import { submissionStates } from '../../../../submit/submission-state'
import type { Tone } from '../../../../ui/status/tone'

export const outcomeOf = ({
  state,
  outcome = state,
}: Pick<QueuedJob, 'state' | 'outcome'>): { label: string; tone: Tone } => submissionStates[outcome]

/** The reason; empty if it would only repeat the state. */
export const reasonOf = ({ outcome, reason }: Pick<QueuedJob, 'outcome' | 'reason'>): string =>
  outcome === 'canceled' && /^cancell?ed$/i.test(reason) ? '' : reason
