import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Logger as WorkerLogger,
  parseCronItems,
  run,
  type Runner,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker'
import type pg from 'pg'
import type { Logger } from 'pino'
import { countDue } from './due'
import type { Presence } from './presence'
import type { Handler, Task } from './task'

const BACKOFF_MS = { first: 250, most: 10_000 }
/** How often one query for the whole pool checks for due tasks, and how often each worker polls by itself. */
const DUE_MS = 1000
const POLL_MS = 60_000
const RECORD_MS = 25
/** How long a stop waits for tasks, before and after it aborts their signal. */
const FINISH_MS = 10_000
const FORCE_STOP_MS = 10_000
const NEVER_MS = 2 ** 31 - 1

export interface Schedule {
  task: Task
  /** As in a crontab: minute, hour, day of month, month, day of week; in UTC. */
  match: string
  payload?: Record<string, unknown>
}

export interface WorkersOptions {
  pool: pg.Pool
  handlers: Handler[]
  schedule: Schedule[]
  concurrency: number
  presence: Presence
  log: Logger
}

export interface Workers {
  stop(): Promise<void>
}

const levels: Record<string, 'warn' | 'debug' | 'trace'> = {
  error: 'warn',
  warning: 'warn',
  info: 'debug',
  debug: 'trace',
}

/** Logs the library's messages without their metadata, which holds the tasks with their payloads. */
export const quiet = (log: Logger) =>
  new WorkerLogger(() => (level, message) => {
    // Advice that does not apply: tasks do not use the queue's connections.
    if (message.includes('maxPoolSize')) return
    log[levels[level] ?? 'warn']({ part: 'queue' }, message)
  })

/**
 * Runs tasks until it is stopped. The library's runner gives up when it cannot record the end of a task because the
 * database is down; a new runner is then started, while the old one finishes the tasks it has in progress.
 */
export function runWorkers({
  pool,
  handlers,
  schedule,
  concurrency,
  presence,
  log,
}: WorkersOptions): Workers {
  const stopping = new AbortController()
  const ending = new AbortController()
  const runners = new Set<Runner>()

  const taskList: TaskList = Object.fromEntries(
    handlers.map((handler): [string, TaskList[string]] => [
      handler.task.name,
      (payload, { job }) =>
        handler.run(payload, {
          id: job.id,
          attempt: job.attempts,
          lastAttempt: job.attempts >= job.max_attempts,
          signal: ending.signal,
          log: log.child({ task: handler.task.name, job: job.id }),
        }),
    ]),
  )
  const parsedCronItems = parseCronItems(
    schedule.map(({ task, match, payload }) => ({
      task: task.name,
      match,
      payload: payload ?? {},
      // A task that takes longer than its interval does not overlap with itself.
      options: { queueName: task.name },
    })),
  )

  /**
   * Finds the tasks that were added for later and those that are retried; tasks for now are announced. Otherwise each
   * idle worker would have to poll all day long.
   */
  const watchDue = async (workerPool: WorkerPool, isStopped: () => boolean): Promise<void> => {
    while (!isStopped()) {
      await sleep(DUE_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
      const due = isStopped() ? 0 : await countDue(pool, Object.keys(taskList), concurrency).catch(() => 0)
      if (due > 0 && !isStopped()) workerPool.nudge(due)
    }
  }

  /** Waits until a runner takes no more tasks, for whatever reason, and returns whether it was ever able to. */
  const oneRunner = async (): Promise<boolean> => {
    const events: WorkerEvents = new EventEmitter()
    let worked = false
    let stopped = false
    events.on('pool:create', ({ workerPool }) => {
      presence.arrive(workerPool.id)
      // The next task of a queue is available once the end of the one before it is recorded, a moment after it
      // ended; without this it would wait for the next poll.
      events.on('job:complete', ({ job }) => {
        if (job.job_queue_id !== null) setTimeout(() => !stopped && workerPool.nudge(1), RECORD_MS)
      })
      events.once('pool:gracefulShutdown', () => (stopped = true))
      void watchDue(workerPool, () => stopped || stopping.signal.aborted)
    })
    events.on('pool:release', ({ workerPool }) => presence.leave(workerPool.id))
    events.on('job:failed', ({ job, error }) =>
      log.error({ task: job.task_identifier, job: job.id, err: error }, 'a task failed its last attempt'),
    )
    for (const event of ['worker:getJob:empty', 'job:start'] as const) events.on(event, () => (worked = true))
    const over = new Promise<unknown>((resolve) => {
      events.once('pool:gracefulShutdown', resolve)
      // A runner whose very first query fails never recovers, so it is replaced.
      events.on('worker:getJob:error', () => !worked && resolve(undefined))
      stopping.signal.addEventListener('abort', resolve, { once: true })
    })
    const runner = await run({
      pgPool: pool,
      taskList,
      parsedCronItems,
      events,
      concurrency,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      logger: quiet(log),
      // Without batches a failure to record the end of a task would be an unhandled rejection and end the process.
      // Tasks get a signal of ours: the library's would also end them when the runner is merely replaced.
      preset: {
        worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0, gracefulShutdownAbortTimeout: NEVER_MS },
      },
    })
    runners.add(runner)
    runner.promise.catch(() => {}).finally(() => runners.delete(runner))
    await over
    // Rejects when the runner is already stopping.
    runner.stop().catch(() => {})
    return worked
  }

  const running = (async () => {
    let wait = BACKOFF_MS.first
    while (!stopping.signal.aborted) {
      try {
        if (await oneRunner()) wait = BACKOFF_MS.first
        if (stopping.signal.aborted) return
        log.warn({ wait }, 'the queue stopped, restarting it')
      } catch (error) {
        log.warn({ reason: String(error), wait }, 'the queue cannot start, retrying')
      }
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => {})
      wait = Math.min(wait * 2, BACKOFF_MS.most)
    }
  })()

  return {
    async stop() {
      stopping.abort()
      await running
      const all = Promise.allSettled([...runners].map((runner) => runner.promise))
      const allEnded = new AbortController()
      const done = all.then(() => allEnded.abort())
      await sleep(FINISH_MS, undefined, { signal: allEnded.signal }).catch(() => {})
      ending.abort()
      await sleep(FORCE_STOP_MS, undefined, { signal: allEnded.signal }).catch(() => {})
      const killed = Promise.allSettled([...runners].map((runner) => runner.kill('the server is stopping')))
      await Promise.race([done, killed, sleep(FORCE_STOP_MS, undefined, { ref: false })])
    },
  }
}
