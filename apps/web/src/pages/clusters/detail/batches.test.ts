import { clusters } from '@flotilla/contract/clusters/clusters'
import { expect, it } from 'vitest'
import { batches } from './batches'

it('splits a long list into requests the server accepts', () => {
  const names = Array.from({ length: 250 }, (_, at) => `n${at}`)
  const parts = batches(names)
  expect(parts.map((part) => part.length)).toEqual([100, 100, 50])
  expect(parts.flat()).toEqual(names)
  for (const nodes of parts) expect(clusters.resume.body.safeParse({ nodes }).success).toBe(true)
  expect(batches([])).toEqual([])
})
