import { describe, expect, it } from 'vitest'
import { keepPositions } from './positions'

const rises = (places: number[]) =>
  places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0))
/** Of a list of names in an old and a new order, those whose place had to change. */
const moved = (before: string[], after: string[]) => {
  const places = new Map(
    keepPositions(before.map(() => undefined)).map((place, index) => [before[index], place]),
  )
  const next = keepPositions(after.map((name) => places.get(name)))
  expect(rises(next)).toBe(true)
  return after.filter((name, index) => places.get(name) !== next[index])
}

describe('the places of rows in an order', () => {
  it('stay when the first one leaves', () => {
    expect(moved(['a', 'b', 'c', 'd'], ['b', 'c', 'd'])).toEqual([])
  })
  it('stay when others come at the end, in the middle and in front', () => {
    expect(moved(['a', 'b'], ['x', 'a', 'y', 'z', 'b', 'w'])).toEqual(['x', 'y', 'z', 'w'])
  })
  it('change for one that moves, and for no other', () => {
    expect(moved(['a', 'b', 'c', 'd', 'e'], ['e', 'a', 'b', 'c', 'd'])).toEqual(['e'])
    expect(moved(['a', 'b', 'c', 'd', 'e'], ['b', 'c', 'd', 'e', 'a'])).toEqual(['a'])
  })
  it('rise whatever comes, also when there is no room left', () => {
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
