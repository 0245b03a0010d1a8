import type { JobEnding } from '../scheduler'

interface End {
  ending: JobEnding
  exitCode?: number
  reason: string
}

/** The reasons for which Torque itself ends a job, by negative exit status. */
const byTorque: Record<number, [JobEnding, string]> = {
  [-10]: ['failed', 'Ended because it used more memory than requested'],
  [-11]: ['timed_out', 'Stopped because it exceeded its wall time'],
  [-12]: ['timed_out', 'Stopped because it exceeded its CPU time'],
  [-8]: ['failed', 'Could not be started: its script could not be run on the node'],
  [-9]: ['failed', 'Could not be started: its output file could not be created on the node'],
  [-4]: ['node_failed', 'Ended because its node was restarted'],
  [-5]: ['node_failed', 'Ended because its node was restarted'],
  [-6]: ['node_failed', 'Ended because its node was restarted'],
}

const TERM = 15
const KILL = 9

/** A status of 256 plus a number means that signal; a job that was deleted before it ran has no status. */
export function jobEnd(
  status: string | undefined,
  wallS: number | undefined,
  limitS: number | undefined,
  isDeleted = false,
): End {
  if (status === undefined) return { ending: 'canceled', reason: 'Canceled before it started' }
  const code = Number(status)
  if (code === 0) return { ending: 'succeeded', exitCode: 0, reason: '' }
  if (code < 0) {
    // A node whose daemon was restarted reports the restart, even if the job was deleted.
    if (isDeleted) return { ending: 'canceled', reason: 'Canceled' }
    const [ending, reason] = byTorque[code] ?? ['failed', `Could not be started (Torque’s code ${code})`]
    return { ending, reason }
  }
  if (code < 256) return { ending: 'failed', exitCode: code, reason: `Ended with exit code ${code}` }
  const signal = code - 256
  const exitCode = 128 + signal
  if (signal !== TERM && signal !== KILL)
    return { ending: 'failed', exitCode, reason: `Ended by signal ${signal}` }
  // Torque uses the same signals for a user's cancellation and for an exceeded wall time.
  if (limitS !== undefined && wallS !== undefined && wallS >= limitS)
    return { ending: 'timed_out', exitCode, reason: 'Stopped because it exceeded its wall time' }
  return { ending: 'canceled', exitCode, reason: 'Canceled' }
}
