import { describe, expect, it } from 'vitest'
import { isIdle } from './activity'
import { countdownText, due } from './due'
import type { Watch } from './due'

const minute = 60_000
const at = (changes: Partial<Watch>) =>
  due({
    now: 100 * minute,
    idleMs: 0,
    lastActivity: 100 * minute,
    lastCountedCall: 100 * minute,
    endTime: null,
    tokenReceivedAt: 100 * minute,
    tokenLifeMs: 60 * minute,
    ...changes,
  })

describe('what a session needs', () => {
  it('is nothing while everything is fresh', () => {
    expect(at({})).toBeNull()
  })

  it('ends after the idle time, not at it', () => {
    expect(at({ idleMs: 10 * minute, lastActivity: 90 * minute })).toBeNull()
    expect(at({ idleMs: 10 * minute, lastActivity: 90 * minute - 1 })).toBe('idle')
  })

  it('never ends by idling when the timer is off', () => {
    expect(at({ idleMs: 0, lastActivity: 1 })).toBeNull()
  })

  it('ends at its end time, whatever else is due', () => {
    expect(at({ endTime: 100 * minute, idleMs: minute, lastActivity: 1 })).toBe('timeUp')
    expect(at({ endTime: 100 * minute + 1 })).toBeNull()
  })

  it('refreshes after half of the token’s lifetime', () => {
    const old = { tokenReceivedAt: 70 * minute - 1 }
    expect(at({ ...old, lastCountedCall: 70 * minute })).toBe('refresh')
    expect(at({ ...old, lastActivity: 60 * minute, lastCountedCall: 70 * minute })).toBe('quietRefresh')
  })

  it('reports a user who only reads before the server considers them idle', () => {
    expect(at({ idleMs: 30 * minute, lastCountedCall: 89 * minute })).toBe('refresh')
    expect(at({ idleMs: 30 * minute, lastCountedCall: 91 * minute })).toBeNull()
  })
})

it('does not end a session without known activity', () => {
  expect(isIdle(100, 10, 0)).toBe(false)
})

it.each([
  [0, '00:00'],
  [-5, '00:00'],
  [1, '00:01'],
  [65_000, '01:05'],
  [3_600_000, '1:00:00'],
  [36_065_000, '10:01:05'],
])('%d ms left is shown as %s', (left, text) => {
  expect(countdownText(left)).toBe(text)
})
