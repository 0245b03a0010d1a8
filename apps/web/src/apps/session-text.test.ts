import { expect, it } from 'vitest'
import { stateText, timeLeft } from './session-text'

it('shows the remaining time in its two largest units', () => {
  const minute = 60_000
  expect([0, 40_000, 12.5 * minute, 125 * minute, 120 * minute, 27 * 60 * minute, -5].map(timeLeft)).toEqual([
    '0 s',
    '40 s',
    '12 min',
    '2 h 5 min',
    '2 h',
    '1 d 3 h',
    '0 s',
  ])
})

it('distinguishes a failed session from an ended one', () => {
  expect(stateText({ state: 'ended', failed: true })).toEqual({ tone: 'red', text: 'Failed' })
  expect(stateText({ state: 'ended', failed: false })).toEqual({ tone: 'gray', text: 'Ended' })
})
