import type { RunningItem } from '@flotilla/contract/people/users'
import { expect, test } from 'vitest'
import { listed } from './running-things'

test('jobs of the same name are listed once, with their number', () => {
  const job = (id: string, name: string): RunningItem => ({ kind: 'job', id, name, cluster: 'Aurora' })
  const desktop: RunningItem = { kind: 'desktop', id: '4', name: '', cluster: 'Aurora' }
  expect(listed([job('1', 'Mesh'), job('2', 'Sweep'), job('3', 'Mesh'), desktop])).toEqual([
    'Job Mesh on Aurora (2)',
    'Job Sweep on Aurora',
    'Desktop on Aurora',
  ])
})
