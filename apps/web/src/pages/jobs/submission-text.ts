import type { Submission } from '@flotilla/contract/jobs/jobs'
import { isOver } from '../../submit/is-over'
import { stateLabel } from '../../submit/submission-state'

/** Why a submission cannot be canceled now, or null. */
export const cancelBlockedReason = ({ state, retry }: Pick<Submission, 'state' | 'retry'>): string | null => {
  if (isOver(state)) return `It has already ended: ${stateLabel(state).toLowerCase()}`
  return state === 'submitting' && !retry ? 'It is being submitted' : null
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const waitsFor = {
  submit: 'Waiting for the resource manager to respond',
  cancel: 'Waiting to be canceled',
} as const
const retryText = ({ of, tries, nextAt, reason }: NonNullable<Submission['retry']>): string =>
  `${waitsFor[of]}, try ${tries}, next at ${clock.format(nextAt)}. ${reason}`

/** Why a submission waits or failed; null if that would only repeat the state. */
export const reasonOf = ({
  state,
  reason,
  retry,
}: Pick<Submission, 'state' | 'reason' | 'retry'>): string | null => {
  if (retry) return retryText(retry)
  return state === 'canceled' && /^cancell?ed$/i.test(reason ?? '') ? null : reason
}

const SECOND = 1000
/** An output file exists from the start of its job, but shared file systems take up to a minute to show it. */
const FILE_SHOWS_MS = 90 * SECOND

/** Explains when the output of a job without an output file will appear. */
export function noOutputText({ startedAt }: Pick<Submission, 'startedAt'>, now: number): string {
  if (startedAt === null) return 'The job has not started. Its output appears here as it is written.'
  return now - startedAt < FILE_SHOWS_MS
    ? 'Output appears here within a second.'
    : 'No output yet. If the node cannot write to the job’s folder, the output appears when the job ends.'
}
const two = (value: number): string => String(value).padStart(2, '0')

/** An exact duration: '4 s', '3:05', '2:14:07', '1 d 03:00:00'. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND))
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  if (days > 0) return `${days} d ${two(hours)}:${two(minutes)}:${two(seconds % 60)}`
  if (hours > 0) return `${hours}:${two(minutes)}:${two(seconds % 60)}`
  return minutes > 0 ? `${minutes}:${two(seconds % 60)}` : `${seconds} s`
}

type Times = Pick<Submission, 'submittedAt' | 'startedAt' | 'endedAt'>

/** How long a submission has waited, or had waited when it started or ended. */
export const waitedMs = ({ submittedAt, startedAt, endedAt }: Times, now: number): number =>
  (startedAt ?? endedAt ?? now) - submittedAt

/** How long a submission has run; null if it never started. */
export const ranMs = ({ startedAt, endedAt }: Times, now: number): number | null =>
  startedAt === null ? null : (endedAt ?? now) - startedAt

const memoryText = (mb: number): string =>
  mb < 1024 ? `${Math.round(mb)} MB` : `${(mb / 1024).toFixed(1)} GB`

/** '8 s CPU, 120 MB', as reported by the resource manager. */
export function usageText(usage: Submission['usage']): string {
  if (!usage) return ''
  const parts = [
    usage.cpuSeconds === null ? null : `${durationText(usage.cpuSeconds * SECOND)} CPU`,
    usage.memoryMb === null ? null : memoryText(usage.memoryMb),
  ]
  return parts.filter(Boolean).join(', ')
}
