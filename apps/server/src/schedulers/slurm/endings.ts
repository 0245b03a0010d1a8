import type { JobEnding, JobState } from '../scheduler'
import { explain } from './reasons'

const ended: Record<string, [JobEnding, string]> = {
  COMPLETED: ['succeeded', ''],
  CANCELLED: ['canceled', 'Canceled'],
  TIMEOUT: ['timed_out', 'Stopped because it exceeded its wall time'],
  DEADLINE: ['timed_out', 'Stopped because it reached its deadline'],
  NODE_FAIL: ['node_failed', 'Ended because a node it ran on failed'],
  BOOT_FAIL: ['node_failed', 'Ended because a node did not start'],
  OUT_OF_MEMORY: ['failed', 'Ended because it used more memory than requested'],
  PREEMPTED: ['canceled', 'Preempted by a higher-priority job'],
  REVOKED: ['canceled', 'Runs on another cluster of the federation instead'],
}

const running = new Set([
  'RUNNING',
  'COMPLETING',
  'SUSPENDED',
  'STOPPED',
  'SIGNALING',
  'STAGE_OUT',
  'RESIZING',
])
const waiting = new Set(['PENDING', 'CONFIGURING', 'REQUEUED', 'REQUEUE_FED'])
const held = new Set(['REQUEUE_HOLD', 'SPECIAL_EXIT', 'RESV_DEL_HOLD'])

export interface Standing {
  state: JobState
  reason: string
  ending?: JobEnding
  exitCode?: number
}

/**
 * The state of a job. `exit` has Slurm's format: the raw wait status as a number, or `code:signal`. A requeued job is
 * waiting; it has not ended, whatever the result of its last run.
 */
export function standing(native: string, code: string, exit: string): Standing {
  // Handles `CANCELLED by 1000` and lists of newer versions such as `RUNNING,COMPLETING`.
  const words = native.split(/[ ,+]/)
  const is = (states: Set<string>) => words.some((word) => states.has(word))
  if (is(held)) return { state: 'blocked', reason: explain(code === 'None' ? 'SpecialExit' : code).text }
  if (is(waiting)) {
    if (words.includes('CONFIGURING')) return { state: 'queued', reason: 'Its nodes are being started' }
    const { text, blocked } = explain(code)
    return { state: blocked ? 'blocked' : 'queued', reason: text }
  }
  if (is(running)) return { state: 'running', reason: words.includes('SUSPENDED') ? 'Suspended' : '' }

  const exitCode = shellCode(exit)
  const [ending, reason] = ended[words[0] ?? ''] ?? ['failed', '']
  if (reason || ending === 'succeeded') return { state: 'completed', reason, ending, exitCode }
  const how = exitCode > 128 ? `Ended by signal ${exitCode - 128}` : `Ended with exit code ${exitCode}`
  // A failure with exit code 0 has another cause.
  const because = exitCode === 0 && code !== 'None' ? explain(code).text : how
  return { state: 'completed', reason: because, ending, exitCode }
}

function shellCode(exit: string): number {
  const [code = 0, signal = 0] = exit.includes(':')
    ? exit.split(':').map(Number)
    : [(Number(exit) >> 8) & 0xff, Number(exit) & 0x7f]
  return signal ? 128 + signal : code
}
