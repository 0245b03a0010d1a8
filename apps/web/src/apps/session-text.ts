import type { AppSession } from '@flotilla/contract/apps/sessions'
import type { Tone } from '../ui/status/tone'

export function stateText({ state, failed }: Pick<AppSession, 'state' | 'failed'>): {
  tone: Tone
  text: string
} {
  if (state === 'queued') return { tone: 'blue', text: 'Queued' }
  if (state === 'starting') return { tone: 'blue', text: 'Starting' }
  if (state === 'ready') return { tone: 'green', text: 'Ready' }
  return failed ? { tone: 'red', text: 'Failed' } : { tone: 'gray', text: 'Ended' }
}

/** The time until then, in its two largest units: 1 d 3 h, 2 h 5 min, 12 min, 40 s. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const first = units.findIndex(([count]) => count > 0)
  if (first === -1) return '0 s'
  const shown = first >= 2 ? units.slice(first, first + 1) : units.slice(first, first + 2)
  return shown
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}
