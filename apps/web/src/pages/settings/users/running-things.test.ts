import type { RunningThing } from '@flotilla/contract/people/users'
import { expect, test } from 'vitest'
import { listed } from './running-things'

test('what a user runs is listed once, with how many there are', () => {
  const job = (id: string, name: string): RunningThing => ({ kind: 'job', id, name, cluster: 'Aurora' })
  const desktop: RunningThing = { kind: 'desktop', id: '4', name: '', cluster: 'Aurora' }
  expect(listed([job('1', 'Mesh'), job('2', 'Sweep'), job('3', 'Mesh'), desktop])).toEqual([
    'Job Mesh on Aurora (2)',
    'Job Sweep on Aurora',
    'Desktop on Aurora',
  ])
})
