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

it('is what all nodes cost a day where nothing removes them', () => {
  expect(idleCost({ mode: 'min', idleS: 0 }, price)).toBe(18)
  expect(idleCost({ mode: 'always', idleS: 600 }, price)).toBe(18)
  expect(idleCost({ mode: 'min', idleS: 600 }, price)).toBeNull()
  expect(idleCost({ mode: 'min', idleS: 0 }, { parts: [] })).toBeNull()
})
