import type { Upload } from './uploads'

/** Sort order: running uploads, those that need a decision, those that wait, and finished ones. */
const ranks: Record<Upload['state'], number> = {
  sending: 0,
  offline: 0,
  exists: 1,
  failed: 1,
  waiting: 2,
  paused: 3,
  interrupted: 3,
  done: 4,
}
export const inShownOrder = (all: readonly Upload[]): Upload[] =>
  all.toSorted((a, b) => ranks[a.state] - ranks[b.state])

/** Progress of all uploads together, except failed and interrupted ones, which will not complete. */
export function totalsOf(all: readonly Upload[], rate: number) {
  const counted = all.filter(({ state }) => state !== 'failed' && state !== 'interrupted')
  const sum = (of: (upload: Upload) => number) => counted.reduce((total, one) => total + of(one), 0)
  const [sent, size] = [sum((one) => one.sent), sum((one) => one.size)]
  const pending = counted.filter(({ state }) => state !== 'paused' && state !== 'done' && state !== 'exists')
  const left = pending.reduce((total, one) => total + one.size - one.sent, 0)
  return { sent, size, secondsLeft: rate > 0 && left > 0 ? left / rate : null }
}

export const leftText = (seconds: number): string => {
  if (seconds < 90) return `${Math.ceil(seconds)} s left`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} min left` : `${Math.round(minutes / 60)} h left`
}
