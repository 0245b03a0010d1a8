import { expect, it } from 'vitest'
import { allowsEveryone, ANYWHERE, SourceRanges } from './ranges'

const errorOf = (ranges: unknown) => SourceRanges.safeParse(ranges).error?.issues[0]?.message

it('accepts IPv4 ranges that every cloud accepts', () => {
  expect(SourceRanges.parse(['203.0.113.0/24', '198.51.100.7/32', '10.0.0.0/8', ANYWHERE])).toHaveLength(4)
  expect(SourceRanges.parse(undefined)).toEqual([])
})

it('reports what is wrong with any other range', () => {
  const enter = 'enter a range such as 203.0.113.0/24, or 203.0.113.5/32 for one address'
  for (const range of ['', '203.0.113.5', '1.2.3/24', '256.1.1.0/24', '1.2.3.0/33', '::/0', '${file("x")}/8'])
    expect(errorOf([range])).toBe(`${range}: ${enter}`)
  expect(errorOf(['203.0.113.5/24'])).toBe('203.0.113.5/24: the range begins at 203.0.113.0/24')
  expect(errorOf(['200.1.2.3/9'])).toBe('200.1.2.3/9: the range begins at 200.0.0.0/9')
  expect(errorOf(['0.0.0.0/1', '128.0.0.0/1'])).toMatch(/too wide/)
  expect(errorOf(Array.from({ length: 26 }, (_, at) => `10.0.${at}.0/24`))).toBe('At most 25 ranges')
})

it('detects ranges that allow everyone', () => {
  expect(allowsEveryone([])).toBe(true)
  expect(allowsEveryone(['10.0.0.0/8', ANYWHERE])).toBe(true)
  expect(allowsEveryone(['10.0.0.0/8'])).toBe(false)
})
