import { expect, it } from 'vitest'
import { foldersOn, placeOf, stepsOf } from './places'

const places = ['/scratch', '/scratch/shared', '/project/big']

it('finds the longest place that contains a path', () => {
  expect(
    ['a/b', '/scratch/x', '/scratchy', '/scratch/shared/y'].map((path) => placeOf(path, places)),
  ).toEqual(['', '/scratch', '', '/scratch/shared'])
})

it('returns a step for each folder below the home or place, and none above it', () => {
  expect(stepsOf('a/b', places)).toEqual([
    { name: 'a', path: 'a' },
    { name: 'b', path: 'a/b' },
  ])
  expect(stepsOf('/project/big/run', places)).toEqual([
    { name: '/project/big', path: '/project/big' },
    { name: 'run', path: '/project/big/run' },
  ])
  expect(stepsOf('', places)).toEqual([])
  expect(foldersOn('/scratch/a')).toEqual(['/scratch', '/scratch/a'])
})
