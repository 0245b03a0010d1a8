import { explain } from '../../../explain'
import { Failure } from '../../../fail'
import { SchedulerError } from '../../../schedulers/error'
import type { Query } from '../../../schedulers/scheduler'
import { TransportError } from '../../../transports/error'
import type { Reach } from './connection'

/** With the controller down, Slurm's clients block for nine seconds before they say so. */
const ASK_MS = 15_000

type Asked = Pick<Reach, 'transport' | 'commands'>

/** Runs a question to the resource manager and reads the answer. Nothing is asked `after` that fails. */
export async function ask<T>(
  { transport, commands = transport }: Asked,
  query: Query<T>,
  timeoutMs = ASK_MS,
  after?: Promise<unknown>,
): Promise<T> {
  const early = after && query.waitsForInput
  if (!early) await after
  const result = await commands.exec(query.argv, {
    timeoutMs,
    maxBytes: 64 * 1024 * 1024,
    brief: true,
    ...(query.stdin !== undefined && { stdin: query.stdin }),
    ...(early && { inputAfter: after }),
  })
  return query.parse(result)
}

/** Asks one after the other until one has an answer. */
export async function askInTurn<T>(reach: Asked, queries: Query<T | undefined>[]): Promise<T | undefined> {
  for (const query of queries) {
    const answer = await ask(reach, query)
    if (answer !== undefined) return answer
  }
  return undefined
}

/** The way there is what failed, not what was asked for. */
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

/** What went wrong between us and a cluster, as a refusal that a person understands. */
export function asFailure(error: unknown): unknown {
  if (error instanceof TransportError && error.reason === 'disk full')
    return new Failure('disk_full', { message: error.message, extras: { step: error.step } })
  if (error instanceof SchedulerError && error.code === 'disk_full')
    return new Failure('disk_full', { message: error.message })
  if (error instanceof TransportError)
    return unreachable.has(error.reason)
      ? new Failure('head_node_unavailable', {
          message: explain(error),
          extras: { part: 'head node', step: error.step },
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

export async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw asFailure(error)
  }
}
