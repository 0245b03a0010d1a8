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
  test('that did not fail is not paused', () => {
    expect(paused()).toEqual([])
    expect(paused(run(1, { cause: null }))).toEqual([])
  })
  test('that failed once or twice is left alone for a moment, and nobody is bothered', () => {
    expect(paused(run(9))).toEqual([0])
    expect(paused(run(11))).toEqual([])
    expect(paused(run(11), run(40))).toEqual([0])
    expect(describePause(of(run(11), run(40)), NOW)).toBeNull()
  })
  test('that failed three times in a row is paused, in words, and each time for longer', () => {
    const three = [run(60), run(100), run(200)]
    expect(paused(...three)).toEqual([0])
    const words = describePause(of(...three), NOW)
    expect(words).toContain('group 1')
    expect(words).toContain('3 failures in a row')
    expect(words).toContain('the quota is used up')
    expect(words).toContain('12:04 UTC')
    expect(paused(...three.map((one) => ({ ...one, endedAt: one.endedAt - 300_000 })))).toEqual([])
    expect(paused(run(301), run(800), run(900), run(1000))).toEqual([0])
    const often = Array.from({ length: 12 }, (_, index) => run(3599 + index))
    expect(paused(...often)).toEqual([0])
    expect(paused(...often.map((one) => ({ ...one, endedAt: one.endedAt - 1000 })))).toEqual([])
  })
  test('begins anew after a success', () => {
    expect(paused(run(11), run(20, { cause: null }), run(30), run(40))).toEqual([])
  })
  test('does not suffer for another', () => {
    const runs = [run(1, { nodes: ['b1'], cause: null }), run(5), run(6), run(7)]
    expect(paused(...runs)).toEqual([0])
  })
})

test('failing to take nodes away pauses that, and nothing else', () => {
  const runs = [run(1), run(2), run(3)].map((one) => ({ ...one, action: 'destroyNode' as const }))
  expect(paused(...runs)).toEqual([])
  expect(of(...runs).down?.failures).toBe(3)
  expect(describePause(of(...runs), NOW)).toContain('No nodes are removed')
})
