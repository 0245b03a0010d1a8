import { expect, it } from 'vitest'
import { relativeTime } from './time-text'

const now = new Date(2026, 10, 17, 12).getTime()

it.each([
  ['just now', new Date(2026, 10, 17, 12)],
  ['2 h ago', new Date(2026, 10, 17, 10)],
  ['5 d ago', new Date(2026, 10, 12, 11)],
  ['May 21', new Date(2026, 4, 21)],
  ['May 21, 2025', new Date(2025, 4, 21)],
  ['in 3 min', new Date(2026, 10, 17, 12, 3)],
])('shows %s, with the year only if it is not the current one', (text, at) => {
  expect(relativeTime(at.getTime(), now)).toBe(text)
})
