import { describe, expect, test } from 'vitest'
import { breakersOf, pausedGroups, describePause, type EndedRun } from './breaker'

const NOW = Date.UTC(2026, 0, 1, 12)
const run = (agoS: number, given: Partial<EndedRun> = {}): EndedRun => ({
  action: 'deployNode',
  nodes: ['a1'],
  endedAt: NOW - agoS * 1000,
  cause: 'the quota is used up',
  ...given,
})
const groupOf = (name: string) => ({ a: 0, b: 1 })[name[0] ?? '']
const of = (...runs: EndedRun[]) => breakersOf(runs, groupOf)
const paused = (...runs: EndedRun[]) => [...pausedGroups(of(...runs), NOW)]

describe('a group', () => {
  test('that has not failed is not paused', () => {
    expect(paused()).toEqual([])
    expect(paused(run(1, { cause: null }))).toEqual([])
  })
  test('that failed once or twice waits briefly, and users are not notified', () => {
    expect(paused(run(9))).toEqual([0])
    expect(paused(run(11))).toEqual([])
    expect(paused(run(11), run(40))).toEqual([0])
    expect(describePause(of(run(11), run(40)), NOW)).toBeNull()
  })
  test('that failed three times in a row is paused with a reason, longer each time', () => {
    const three = [run(60), run(100), run(200)]
    expect(paused(...three)).toEqual([0])
    const text = describePause(of(...three), NOW)
    expect(text).toContain('group 1')
    expect(text).toContain('3 failures in a row')
    expect(text).toContain('the quota is used up')
    expect(text).toContain('12:04 UTC')
    expect(paused(...three.map((one) => ({ ...one, endedAt: one.endedAt - 300_000 })))).toEqual([])
    expect(paused(run(301), run(800), run(900), run(1000))).toEqual([0])
    const often = Array.from({ length: 12 }, (_, index) => run(3599 + index))
    expect(paused(...often)).toEqual([0])
    expect(paused(...often.map((one) => ({ ...one, endedAt: one.endedAt - 1000 })))).toEqual([])
  })
  test('starts over after a success', () => {
    expect(paused(run(11), run(20, { cause: null }), run(30), run(40))).toEqual([])
  })
  test('is not affected by another group', () => {
    const runs = [run(1, { nodes: ['b1'], cause: null }), run(5), run(6), run(7)]
    expect(paused(...runs)).toEqual([0])
  })
})

test('failing to remove nodes pauses only removals', () => {
  const runs = [run(1), run(2), run(3)].map((one) => ({ ...one, action: 'destroyNode' as const }))
  expect(paused(...runs)).toEqual([])
  expect(of(...runs).down?.failures).toBe(3)
  expect(describePause(of(...runs), NOW)).toContain('Not removing nodes')
})
