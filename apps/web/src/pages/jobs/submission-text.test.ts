import { describe, expect, it } from 'vitest'
import { nodesText, totalText, walltimeText } from './resources'
import { fitColumns } from '../../table/column'
import { submissionColumns } from './submission-columns'
import { cancelBlockedReason, durationText, noOutputText, ranMs, reasonOf, waitedMs } from './submission-text'

describe('the resources of a job', () => {
  it('have a short form', () => {
    expect(nodesText({ nodes: 1, cores: 1, gpus: 0 })).toBe('1 core')
    expect(nodesText({ nodes: 2, cores: 8, gpus: 0 })).toBe('2 × 8 cores')
    expect(nodesText({ nodes: 4, cores: 16, gpus: 2 })).toBe('4 × 16 cores + 2 GPUs')
    expect(walltimeText('01:00:00')).toBe('1 h')
    expect(walltimeText('2-12:00:30')).toBe('2 d 12 h 30 s')
  })
  it('have a long form', () => {
    expect(totalText({ nodes: 2, cores: 8, gpus: 1, walltime: '00:30:00', array: '' })).toBe(
      '16 cores and 2 GPUs on 2 nodes for at most 30 min',
    )
    expect(totalText({ nodes: 1, cores: 1, gpus: 0, walltime: '01:00:00', array: '1-10,15' })).toBe(
      '11 tasks, each with 1 core on one node for at most 1 h',
    )
  })
})

it('describes the retry of a job that its resource manager does not accept, and allows canceling it', () => {
  const retry = {
    of: 'submit',
    tries: 3,
    nextAt: new Date(2026, 0, 1, 14, 5).getTime(),
    reason: 'It is down.',
  } as const
  const waiting = { state: 'submitting', reason: null, retry } as const
  expect(reasonOf(waiting)).toMatch(
    /^Waiting for the resource manager to respond, try 3, next at .*05.*\. It is down\.$/,
  )
  expect(cancelBlockedReason(waiting)).toBeNull()
  expect(cancelBlockedReason({ state: 'submitting', retry: null })).toBe('It is being submitted')
  expect(reasonOf({ ...waiting, state: 'running', retry: { ...retry, of: 'cancel' } })).toContain(
    'Waiting to be canceled',
  )
})

it('states when the output of a job appears', () => {
  expect(noOutputText({ startedAt: null }, 5000)).toContain('has not started')
  expect(noOutputText({ startedAt: 1000 }, 5000)).toContain('within a second')
  expect(noOutputText({ startedAt: 1000 }, 100_000)).toContain('when the job ends')
})

describe('a duration', () => {
  it('is formatted as a clock', () => {
    expect(durationText(4200)).toBe('4 s')
    expect(durationText(185_000)).toBe('3:05')
    expect(durationText(8_047_000)).toBe('2:14:07')
    expect(durationText(97_200_000)).toBe('1 d 03:00:00')
  })
  it('counts up to now while in progress', () => {
    const times = { submittedAt: 1000, startedAt: null, endedAt: null }
    expect(waitedMs(times, 5000)).toBe(4000)
    expect(ranMs(times, 5000)).toBeNull()
    expect(ranMs({ ...times, startedAt: 2000 }, 5000)).toBe(3000)
    expect(waitedMs({ ...times, endedAt: 3000 }, 9000)).toBe(2000)
  })
})

it('allows canceling only unfinished submissions', () => {
  expect(cancelBlockedReason({ state: 'running', retry: null })).toBeNull()
  expect(cancelBlockedReason({ state: 'completed', retry: null })).toMatch(/already ended/)
})

/** The width of a 1440 px window minus the navigation, margins and scrollbar. */
const WIDTH_AT_1440 = 1095

it('shows usage and reason at 1440 px', () => {
  const shown = fitColumns(submissionColumns(undefined, true), WIDTH_AT_1440).map(({ id }) => id)
  expect(shown).toContain('usage')
  expect(shown).toContain('reason')
})

it('omits a reason that only repeats that the submission was canceled', () => {
  expect(reasonOf({ state: 'canceled', reason: 'Canceled', retry: null })).toBeNull()
  expect(reasonOf({ state: 'failed', reason: 'Ended with exit code 1', retry: null })).toBe(
    'Ended with exit code 1',
  )
})
