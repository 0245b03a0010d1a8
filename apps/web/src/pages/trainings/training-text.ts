import type { Seat, Training } from '@flotilla/contract/trainings/entity'
import type { Tone } from '../../ui/status/tone'

export const stateTexts: Record<Training['state'], { label: string; tone: Tone }> = {
  scheduled: { label: 'Scheduled', tone: 'gray' },
  running: { label: 'Running', tone: 'green' },
  ended: { label: 'Ended', tone: 'gray' },
}

export const preparationTexts: Record<Training['preparation']['state'], { label: string; tone: Tone }> = {
  none: { label: 'Not prepared', tone: 'gray' },
  preparing: { label: 'Preparing seats', tone: 'blue' },
  ready: { label: 'Seats ready', tone: 'green' },
  'tearing-down': { label: 'Tearing down', tone: 'blue' },
  'torn-down': { label: 'Torn down', tone: 'gray' },
  failed: { label: 'Failed', tone: 'red' },
}

/** The most urgent state of a seat, as a label and a color. */
export function seatText(seat: Seat): { label: string; tone: Tone } {
  if (seat.handRaisedAt !== null) return { label: 'Hand raised', tone: 'amber' }
  if (seat.online) return { label: 'Online', tone: 'green' }
  if (seat.joinedAt !== null) return { label: 'Away', tone: 'gray' }
  return { label: seat.userId ? 'Prepared' : 'Free', tone: 'gray' }
}

/** The desktops, apps and jobs that run for a seat. */
export function runningText({ desktopId, apps, runningJobs }: Seat): string {
  const parts = [
    [desktopId === null ? 0 : 1, 'desktop'],
    [apps, 'app'],
    [runningJobs, 'job'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => `${count} ${noun}${count === 1 ? '' : 's'}`)
    .join(', ')
}
