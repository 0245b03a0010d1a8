import { Failure } from '../../fail'
import { SchedulerError } from '../../schedulers/error'
import { TransportError } from '../../transports/error'

const FIRST_MS = 10_000
const LONGEST_MS = 5 * 60_000
/** About a day. */
const TRIES_MAX = 300

/** When to try again after so many tries; null when it is time to give up. */
export const nextTry = (tries: number, now: number): Date | null =>
  tries >= TRIES_MAX ? null : new Date(now + Math.min(FIRST_MS * 2 ** (tries - 1), LONGEST_MS))

/** The head node itself cannot be reached. */
const isUnreachable = (error: unknown): boolean =>
  (error instanceof Failure && error.code === 'head_node_unavailable') ||
  (error instanceof TransportError && ['unreachable', 'lost', 'timed out', 'busy'].includes(error.reason))

/** The resource manager is away: what was not sent can wait for it. */
export const isAway = (error: unknown): boolean =>
  (error instanceof SchedulerError && error.code === 'controller_down') || isUnreachable(error)

/** Nothing can be said against it, but it cannot be done now. */
export const cannotCancelYet = (error: unknown): error is SchedulerError =>
  error instanceof SchedulerError && (error.code === 'node_down' || error.code === 'controller_down')
