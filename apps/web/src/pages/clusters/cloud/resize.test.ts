import { expect, it } from 'vitest'
import { everyField } from '../every-field'
import { resizeOf, sizesOf, withSizes } from './resize'

const { data } = everyField
const sizes = sizesOf(data)

it('asks only for what is to be another size', () => {
  expect(resizeOf(data, sizes)).toBeNull()
  expect(resizeOf(data, { ...sizes, server: { ...sizes.server, instance_id: 't3.xlarge' } })).toEqual({
    server: { instance_id: 't3.xlarge' },
  })
  const [group] = sizes.groups
  if (!group) throw new Error('it has one group')
  expect(resizeOf(data, { ...sizes, groups: [{ ...group, count: 9 }] })).toEqual({
    groups: [{ group: 0, count: 9 }],
  })
})

it('leaves everything else of the cluster as it is', () => {
  expect(withSizes(data, sizes)).toEqual(data)
})
