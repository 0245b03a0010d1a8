import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineProcess } from './process'

/** How long an engine may take to end after each signal. It first completes what it has started in the cloud. */
export interface Timeouts {
  interruptMs: number
  againMs: number
  /** The signal for an engine. Packer restarts itself and forwards only this one. */
  signal?: 'SIGTERM'
}
export const defaultTimeouts: Timeouts = { interruptMs: 120_000, againMs: 60_000 }

/** Stops an engine once `cancel` is aborted, or on `end`. */
export function terminator(running: EngineProcess, timeouts: Timeouts, cancel: AbortSignal | undefined) {
  let ending: Promise<void> | undefined
  const end = () => {
    ending ??= terminateGracefully(running, timeouts)
    // The caller checks whether it has ended; this only prevents an unhandled rejection.
    ending.catch(() => undefined)
  }
  if (cancel?.aborted) end()
  cancel?.addEventListener('abort', end)
  return {
    end,
    /** Undefined unless it is being stopped. */
    ending: () => ending,
    release: () => cancel?.removeEventListener('abort', end),
  }
}

/**
 * Stops an engine: the first signal asks it to finish what it has started, the second one to stop at once. Only if it
 * does not respond is it killed, which loses its record of the last resources it created.
 */
async function terminateGracefully(running: EngineProcess, timeouts: Timeouts): Promise<void> {
  for (const ms of [timeouts.interruptMs, timeouts.againMs])
    if (await interrupted(running, ms, timeouts.signal)) return
  running.kill()
  await sleep(100)
}

async function interrupted(running: EngineProcess, ms: number, signal: Timeouts['signal']): Promise<boolean> {
  const until = Date.now() + ms
  // An engine that was only just started is signaled as soon as it is running.
  let signaled = false
  while (running.alive()) {
    signaled ||= running.interrupt(signal)
    if (Date.now() >= until) return false
    await sleep(25)
  }
  return true
}
