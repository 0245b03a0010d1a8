import { expect, it } from 'vitest'
import { idleCost } from './idle-cost'

const price = {
  parts: [
    { what: 'head node, t3.large', count: 1, perHour: 1 },
    { what: 'nodes, c5.xlarge', count: 2, perHour: 0.5 },
    { what: 'spot nodes at most, c5.xlarge', count: 2, perHour: 0.25 },
    { what: 'node disks, 50 GB', count: 4, perHour: null },
  ],
}

it('is the cost of all nodes per day if idle nodes are never removed', () => {
  expect(idleCost({ mode: 'min', idleS: 0 }, price)).toEqual({ perDay: 18, isComplete: true })
  expect(idleCost({ mode: 'always', idleS: 600 }, price)).toEqual({ perDay: 18, isComplete: true })
  expect(idleCost({ mode: 'min', idleS: 600 }, price)).toBeNull()
  const unchosen = { parts: [{ what: 'node, no size chosen', count: 1, perHour: null }] }
  expect(idleCost({ mode: 'min', idleS: 0 }, unchosen)).toBeNull()
  expect(idleCost({ mode: 'min', idleS: 0 }, undefined)).toBeNull()
})

it('is incomplete if nodes without a price are never removed (15.12)', () => {
  const unpriced = { what: 'nodes, Standard_HB120rs_v3', count: 4, perHour: null }
  expect(idleCost({ mode: 'min', idleS: 0 }, { parts: [unpriced] })).toEqual({
    perDay: null,
    isComplete: false,
  })
  expect(idleCost({ mode: 'min', idleS: 0 }, { parts: [...price.parts, unpriced] })).toEqual({
    perDay: 18,
    isComplete: false,
  })
})
