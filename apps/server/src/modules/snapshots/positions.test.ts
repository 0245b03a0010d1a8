import { describe, expect, it } from 'vitest'
import { keepPositions } from './positions'

const rises = (places: number[]) =>
  places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0))
/** The names whose positions changed between an old and a new order. */
const moved = (before: string[], after: string[]) => {
  const places = new Map(
    keepPositions(before.map(() => undefined)).map((place, index) => [before[index], place]),
  )
  const next = keepPositions(after.map((name) => places.get(name)))
  expect(rises(next)).toBe(true)
  return after.filter((name, index) => places.get(name) !== next[index])
}

describe('the positions of rows in an order', () => {
  it('stay when the first row leaves', () => {
    expect(moved(['a', 'b', 'c', 'd'], ['b', 'c', 'd'])).toEqual([])
  })
  it('stay when rows are added at the end, in the middle and in front', () => {
    expect(moved(['a', 'b'], ['x', 'a', 'y', 'z', 'b', 'w'])).toEqual(['x', 'y', 'z', 'w'])
  })
  it('change for a row that moves, and for no other', () => {
    expect(moved(['a', 'b', 'c', 'd', 'e'], ['e', 'a', 'b', 'c', 'd'])).toEqual(['e'])
    expect(moved(['a', 'b', 'c', 'd', 'e'], ['b', 'c', 'd', 'e', 'a'])).toEqual(['a'])
  })
  it('always rise, even if there is no space left', () => {
    let places = keepPositions([undefined, undefined])
    for (let round = 0; round < 50; round++) {
      places = keepPositions([places[0], undefined, ...places.slice(1)])
      expect(rises(places)).toBe(true)
    }
    expect(places).toHaveLength(52)
    expect(keepPositions([])).toEqual([])
    expect(rises(keepPositions([3, 3, undefined, 2, 1]))).toBe(true)
  })
})
