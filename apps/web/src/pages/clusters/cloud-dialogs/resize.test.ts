import { expect, it } from 'vitest'
import { everyField } from '../every-field'
import { unmatchedErrors, problemsIn, resizeOf, sizesOf, withSizes, sizeErrors } from './resize'

const { data } = everyField
const sizes = sizesOf(data)

it('sends only the sizes that change', () => {
  expect(resizeOf(data, sizes)).toBeNull()
  expect(resizeOf(data, { ...sizes, server: { ...sizes.server, instance_id: 't3.xlarge' } })).toEqual({
    server: { instance_id: 't3.xlarge' },
  })
  const [group] = sizes.groups
  if (!group) throw new Error('expected one group')
  expect(resizeOf(data, { ...sizes, groups: [{ ...group, count: 9 }] })).toEqual({
    groups: [{ group: 0, count: 9 }],
  })
})

it('leaves the rest of the cluster unchanged', () => {
  expect(withSizes(data, sizes)).toEqual(data)
})

it('reports errors on their fields, with the range', () => {
  const size = { server: { mem: -1 }, groups: [{ group: 2, count: -3 }] }
  const found = problemsIn(size)
  expect(sizeErrors(found, size, 'server')).toEqual({ mem: 'At least 0' })
  expect(sizeErrors(found, size, 2)).toEqual({ count: 'Enter a whole number from 0 to 1000' })
  expect(sizeErrors(found, size, 0)).toEqual({})
  expect(unmatchedErrors(found, [sizeErrors(found, size, 'server'), sizeErrors(found, size, 2)])).toEqual([])
  expect([...problemsIn({ groups: [{ group: 0, count: Number.NaN }] }).keys()]).toEqual(['groups.0.count'])
})

it('matches the server’s errors to rows by field name', () => {
  const found = new Map([
    ['data.node.group.1.ocpus', 'At most 80 OCPUs'],
    ['root', 'Not now'],
  ])
  expect(sizeErrors(found, null, 1)).toEqual({ ocpus: 'At most 80 OCPUs' })
  expect(unmatchedErrors(found, [sizeErrors(found, null, 1)])).toEqual(['Not now'])
})
