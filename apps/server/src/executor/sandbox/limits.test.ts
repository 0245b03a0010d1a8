import os from 'node:os'
import { expect, test } from 'vitest'
import { limitsOfJob } from './limits'

test('jobs share the memory of the machine if the configured nodes claim more than it has', () => {
  const node = (name: string) => ({ name, cores: 8, gpus: 0, memoryMb: 2 ** 40 })
  const { memoryMb } = limitsOfJob({ nodes: 1, cores: 8 }, { nodes: ['a', 'b', 'c', 'd'].map(node) })
  expect(memoryMb).toBeLessThanOrEqual(Math.max(1024, Math.ceil(os.totalmem() / 1024 ** 2 / 4)))
})
