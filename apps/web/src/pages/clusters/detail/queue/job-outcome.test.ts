import { expect, it } from 'vitest'
import { outcomeOf, reasonOf } from './job-outcome'

it('shows how a job ended, or its state if that is unknown', () => {
  expect(outcomeOf({ state: 'completed', outcome: 'failed' })).toEqual({ label: 'Failed', tone: 'red' })
  expect(outcomeOf({ state: 'completed', outcome: 'canceled' })).toEqual({ label: 'Canceled', tone: 'gray' })
  expect(outcomeOf({ state: 'completed' })).toEqual({ label: 'Completed', tone: 'green' })
})

it('omits a reason that only repeats that the job was canceled', () => {
  expect(reasonOf({ outcome: 'canceled', reason: 'Canceled' })).toBe('')
  expect(reasonOf({ outcome: 'canceled', reason: 'Canceled before it started' })).toBe(
    'Canceled before it started',
  )
})
