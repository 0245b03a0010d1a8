import { expect, it } from 'vitest'
import { outcomeOf, reasonOf } from './job-outcome'

it('shows how a job ended, or its state if that is unknown', () => {
  expect(outcomeOf({ state: 'completed', outcome: 'failed' })).toEqual({ word: 'Failed', tone: 'red' })
  expect(outcomeOf({ state: 'completed', outcome: 'canceled' })).toEqual({ word: 'Canceled', tone: 'gray' })
  expect(outcomeOf({ state: 'completed' })).toEqual({ word: 'Completed', tone: 'green' })
})

it('does not say twice that a job was canceled', () => {
  expect(reasonOf({ outcome: 'canceled', reason: 'Canceled' })).toBe('')
  expect(reasonOf({ outcome: 'canceled', reason: 'Canceled before it started' })).toBe(
    'Canceled before it started',
  )
})
