import { expect, it } from 'vitest'
import { outcomeOf, reasonOf } from './job-outcome'

const job = (nativeState: string, reason = '', exitCode: number | null = null) => ({
  state: 'completed' as const,
  nativeState,
  reason,
  exitCode,
})

it.each([
  [job('SUCCEEDED', '', 0), 'Completed', 'green'],
  [job('COMPLETED', '', 0), 'Completed', 'green'],
  [job('C', '', 0), 'Completed', 'green'],
  [job('FAILED', 'Ended with exit code 1', 1), 'Failed', 'red'],
  [job('C', 'Ended by signal 9', 137), 'Failed', 'red'],
  [job('TIMEOUT', 'Stopped because its wall time ran out', 0), 'Failed', 'red'],
  [job('CANCELLED', 'Canceled', 143), 'Canceled', 'grey'],
  [job('CANCELLED by 1000', 'Canceled', 0), 'Canceled', 'grey'],
  [job('PREEMPTED', 'Stopped to make room for a more important job', 0), 'Canceled', 'grey'],
  [job('C', 'Canceled', 271), 'Canceled', 'grey'],
  [job('C', 'Canceled before it started'), 'Canceled', 'grey'],
  [{ ...job('STOPPING', 'Being canceled'), state: 'running' as const }, 'Running', 'blue'],
  [{ ...job('WAITING', 'Waiting for free cores'), state: 'queued' as const }, 'Queued', 'grey'],
])('%j is %s', (row, word, tone) => expect(outcomeOf(row)).toEqual({ word, tone }))

it('does not say twice that a job was canceled', () => {
  expect(reasonOf(job('CANCELLED', 'Canceled', 143))).toBe('')
  expect(reasonOf(job('C', 'Canceled before it started'))).toBe('Canceled before it started')
})
