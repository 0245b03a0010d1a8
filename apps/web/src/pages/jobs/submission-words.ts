import type { Submission } from '@flotilla/contract/jobs'
import { isOver } from '../../submit/is-over'
import type { Tone } from '../../ui/tone'

type State = Submission['state']

const words: Record<State, { word: string; tone: Tone }> = {
  submitting: { word: 'Submitting', tone: 'blue' },
  queued: { word: 'Queued', tone: 'amber' },
  blocked: { word: 'Blocked', tone: 'amber' },
  running: { word: 'Running', tone: 'blue' },
  completed: { word: 'Completed', tone: 'green' },
  failed: { word: 'Failed', tone: 'red' },
  canceled: { word: 'Canceled', tone: 'grey' },
  lost: { word: 'Lost', tone: 'red' },
}
export const stateWord = (state: State): string => words[state].word
export const stateTone = (state: State): Tone => words[state].tone

/** Why it cannot be cancelled now, or null. */
export const whyNoCancel = ({ state }: Pick<Submission, 'state'>): string | null => {
  if (isOver(state)) return `It has ended already: ${stateWord(state).toLowerCase()}`
  return state === 'submitting' ? 'It is just being submitted' : null
}

const SECOND = 1000
const two = (value: number): string => String(value).padStart(2, '0')

/** '4 s', '3:05', '2:14:07', '1 d 03:00:00': how long something took, exactly. */
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

/** How long it waited so far, or until it began or ended without beginning. */
export const waitedMs = ({ submittedAt, startedAt, endedAt }: Times, now: number): number =>
  (startedAt ?? endedAt ?? now) - submittedAt

/** Null when it never began. */
export const ranMs = ({ startedAt, endedAt }: Times, now: number): number | null =>
  startedAt === null ? null : (endedAt ?? now) - startedAt

/** '8 CPU s, 120 MB' of what the resource manager counted. */
export function usageText(usage: Submission['usage']): string {
  if (!usage) return ''
  const parts = [
    usage.cpuSeconds === null ? null : `${durationText(usage.cpuSeconds * SECOND)} CPU`,
    usage.memoryMb === null ? null : `${Math.round(usage.memoryMb)} MB`,
  ]
  return parts.filter(Boolean).join(', ')
}
