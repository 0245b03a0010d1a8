import { expect, it } from 'vitest'
import type { NodeInfo } from '../../schedulers/scheduler'
import { asNode } from './view'

it('free memory is shown between zero and the total, regardless of what the resource manager reports', () => {
  const freeOf = (memoryFreeMb: number | undefined) =>
    asNode({ memoryMb: 1000, memoryFreeMb } as NodeInfo).memoryFreeMb
  expect([-200, 0, 400, 1000, 1800].map(freeOf)).toEqual([0, 0, 400, 1000, 1000])
  expect(freeOf(undefined)).toBeNull()
})
