import { Failure } from '../../fail'
import { SchedulerError } from '../../schedulers/error'
import { TransportError } from '../../transports/error'

const FIRST_MS = 10_000
const LONGEST_MS = 5 * 60_000
/** Enough for about a day. */
const TRIES_MAX = 300

/** When to retry after this number of tries; null if the limit is reached. */
export const nextTry = (tries: number, now: number): Date | null =>
  tries >= TRIES_MAX ? null : new Date(now + Math.min(FIRST_MS * 2 ** (tries - 1), LONGEST_MS))

/** Whether the head node itself is unreachable. */
const isUnreachable = (error: unknown): boolean =>
  (error instanceof Failure && error.code === 'head_node_unavailable') ||
  (error instanceof TransportError && ['unreachable', 'lost', 'timed out', 'busy'].includes(error.reason))

/** Whether the resource manager is unavailable, so that an unsent request can be retried later. */
export const isUnavailable = (error: unknown): boolean =>
  (error instanceof SchedulerError && error.code === 'controller_down') || isUnreachable(error)

/** Whether canceling is permitted but currently not possible. */
export const cannotCancelYet = (error: unknown): error is SchedulerError =>
  error instanceof SchedulerError && (error.code === 'node_down' || error.code === 'controller_down')
