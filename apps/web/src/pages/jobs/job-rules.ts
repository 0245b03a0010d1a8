import type { Job } from '@flotilla/contract/jobs/jobs'
import { isOver } from '../../submit/is-over'
import { cancelBlockedReason } from './submission-text'

/** Why a job cannot be canceled now, or null. */
export const cancelBlockedJob = ({ lastSubmission: last }: Job): string | null =>
  last ? cancelBlockedReason(last) : 'Never submitted'

/** Why a job cannot be deleted now, or null. */
export const deleteBlockedJob = ({ lastSubmission: last }: Job): string | null =>
  last && !isOver(last.state) ? 'It is still on a cluster. Cancel it first' : null
