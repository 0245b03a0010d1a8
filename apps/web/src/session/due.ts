import { isIdle } from './activity'

export type Watch = {
  now: number
  /** The session ends after this long without activity; 0 disables it. */
  idleMs: number
  lastActivity: number
  lastCountedCall: number
  endTime: number | null
  tokenReceivedAt: number
  tokenLifeMs: number
}

/** How often the server learns of activity, as a fraction of the idle time. */
const HEARTBEATS = 3

/**
 * What a session needs now. A `refresh` counts as activity on the server, a `quietRefresh` does not: an unattended page
 * must not keep itself alive, and one that is only read must not be ended.
 */
export function due(watch: Watch): 'timeUp' | 'idle' | 'refresh' | 'quietRefresh' | null {
  const { now, idleMs, lastActivity, lastCountedCall, endTime, tokenReceivedAt, tokenLifeMs } = watch
  if (endTime !== null && now >= endTime) return 'timeUp'
  if (isIdle(now, idleMs, lastActivity)) return 'idle'
  const wasActive = lastActivity > lastCountedCall
  if (wasActive && idleMs > 0 && now - lastCountedCall > idleMs / HEARTBEATS) return 'refresh'
  if (now - tokenReceivedAt > tokenLifeMs / 2) return wasActive ? 'refresh' : 'quietRefresh'
  return null
}

const MINUTE = 60
const HOUR = 60 * MINUTE

/** `1:05:09` or `05:09`. */
export function countdownText(leftMs: number): string {
  const left = Math.max(0, Math.ceil(leftMs / 1000))
  const hours = Math.floor(left / HOUR)
  const parts = [Math.floor((left % HOUR) / MINUTE), left % MINUTE].map((part) =>
    String(part).padStart(2, '0'),
  )
  return hours > 0 ? [hours, ...parts].join(':') : parts.join(':')
}
