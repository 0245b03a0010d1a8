import { readStored, writeStored } from './storage'

const KEY = 'activity'
/** Other tabs need not know about every keystroke. */
const SHARE_EVERY_MS = 1000

let own = 0
let shared = 0
let counted = 0

const stored = (): number => Number(readStored(KEY)) || 0

/** The user's last activity in any tab; 0 if unknown. */
export const lastActivity = (): number => Math.max(own, stored())

export function noteActivity(now: number): void {
  own = now
  if (now - shared < SHARE_EVERY_MS) return
  shared = now
  writeStored(KEY, String(now))
}

/** The server counts every call that is not an automatic refresh as activity; this is when it last got one. */
export const lastCountedCall = (): number => counted
export function noteCountedCall(now: number): void {
  counted = now
}

export const activityEvents = [
  'pointerdown',
  'pointermove',
  'keydown',
  'wheel',
  'scroll',
  'touchstart',
] as const

/** Idle begins after the limit, not at it; without known activity, no session ends. */
export const isIdle = (now: number, idleMs: number, last: number): boolean =>
  idleMs > 0 && last > 0 && now - last > idleMs
