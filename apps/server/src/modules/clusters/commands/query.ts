import { setTimeout as sleep } from 'node:timers/promises'
import { explain } from '../../../explain'
import { Failure } from '../../../fail'
import { SchedulerError } from '../../../schedulers/error'
import type { Query } from '../../../schedulers/scheduler'
import { TransportError } from '../../../transports/error'
import type { ClusterConnection } from './connection'

/** With the controller down, Slurm's clients block for nine seconds before they report it. */
const QUERY_MS = 15_000
/** How long the executor may take to apply a change. */
const APPLIED_MS = 15_000

type Queried = Pick<ClusterConnection, 'transport' | 'commands'>

/** Runs a query against the resource manager and parses the answer. Nothing is sent if `after` fails. */
export async function query<T>(
  { transport, commands = transport }: Queried,
  { argv, stdin, waitsForInput, parse }: Query<T>,
  timeoutMs = QUERY_MS,
  after?: Promise<unknown>,
): Promise<T> {
  const early = after && waitsForInput
  if (!early) await after
  const result = await commands.exec(argv, {
    timeoutMs,
    maxBytes: 64 * 1024 * 1024,
    brief: true,
    ...(stdin !== undefined && { stdin }),
    ...(early && { inputAfter: after }),
  })
  // No resource manager prints a NUL. If a user's file or program does, the database would reject all that was read.
  return parse({ ...result, stdout: result.stdout.replaceAll('\0', '') })
}

/** Repeats a query until its answer is as expected, or for a while: the executor applies changes with a delay. */
export async function queryUntil<T>(
  connection: Queried,
  request: Query<T>,
  isDone: (answer: T) => boolean,
  timeoutMs = QUERY_MS,
): Promise<T> {
  for (const until = Date.now() + APPLIED_MS; ;) {
    const answer = await query(connection, request, timeoutMs)
    if (isDone(answer) || Date.now() > until) return answer
    await sleep(100)
  }
}

/** Runs queries in order until one has an answer. */
export async function queryInTurn<T>(
  connection: Queried,
  queries: Query<T | undefined>[],
): Promise<T | undefined> {
  for (const one of queries) {
    const answer = await query(connection, one)
    if (answer !== undefined) return answer
  }
  return undefined
}

/** Reasons that mean that the connection failed, rather than the command. */
const unreachable = new Set([
  'unreachable',
  'lost',
  'timed out',
  'canceled',
  'busy',
  'refused',
  'host key changed',
  'not ssh',
  'unusable',
])

/** Converts a connection or cluster error to a user-facing failure. */
export function asFailure(error: unknown): unknown {
  if (error instanceof TransportError && error.reason === 'disk full')
    return new Failure('disk_full', { message: error.message, extras: { step: error.step } })
  if (error instanceof SchedulerError && error.code === 'disk_full')
    return new Failure('disk_full', { message: error.message })
  if (error instanceof TransportError)
    return unreachable.has(error.reason)
      ? new Failure('head_node_unavailable', {
          message: explain(error),
          extras: {
            part: 'head node',
            step: error.step,
            ...(error.publicKey !== undefined && { publicKey: error.publicKey }),
          },
        })
      : new Failure('file_refused', {
          message: error.message,
          extras: { reason: error.reason, step: error.step },
        })
  if (error instanceof SchedulerError)
    return error.code === 'controller_down'
      ? new Failure('head_node_unavailable', { message: error.message, extras: { part: 'resource manager' } })
      : new Failure('scheduler_refused', { message: error.message, extras: { reason: error.code } })
  return error
}

export async function withUserFacingErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw asFailure(error)
  }
}
