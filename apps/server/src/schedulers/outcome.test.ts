import { expect, it } from 'vitest'
import { outcomeOf } from './outcome'
import type { QueuedJob } from './scheduler'

it.each([
  ['timed_out', 'timed_out'],
  ['node_failed', 'failed'],
  ['succeeded', 'completed'],
  ['canceled', 'canceled'],
] as const)('a job that ended as %s is shown as %s', (ending, shown) => {
  // Only these fields matter.
  expect(outcomeOf({ state: 'completed', ending } as QueuedJob)).toBe(shown)
})
