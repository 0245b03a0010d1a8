import type { Job, Submission } from '@flotilla/contract/jobs/jobs'
import { expect, it } from 'vitest'
import { groupCounts, inGroup } from './state-groups'

// Only the fields used here.
const job = (state: Submission['state'] | null) =>
  ({ lastSubmission: state === null ? null : { state } }) as Job
const all = [job('running'), job('queued'), job('blocked'), job('lost'), job('failed'), job(null)]

it('counts jobs by their last submission and leaves out empty groups', () => {
  expect(groupCounts(all, undefined).map(({ text, count }) => `${text} ${count}`)).toEqual([
    'Running 1',
    'Waiting 2',
    'Failed 2',
    'Never submitted 1',
  ])
  expect(groupCounts(all, 'canceled').map(({ state }) => state)).toContain('canceled')
})

it('keeps the jobs of the chosen group, all without a choice, and none of an unknown group', () => {
  const kept = (state: string) => all.filter(inGroup(state) ?? (() => true))
  expect(kept('waiting')).toEqual([all[1], all[2]])
  expect(kept('never')).toEqual([all[5]])
  expect(kept('nonsense')).toEqual([])
  expect(inGroup(undefined)).toBeUndefined()
  expect(inGroup('failed')).toBe(inGroup('failed'))
})
