import { expect, it } from 'vitest'
import { clockText, limitText, parseDuration } from './durations'

it('parses a duration as resource managers do: a bare number is minutes', () => {
  const seconds = {
    '90': 5400,
    '1.5': 90,
    '90:00': 5400,
    '01:30:00': 5400,
    '2-12': 216_000,
    '1-02:03:04': 93_784,
  }
  for (const [text, expected] of Object.entries(seconds)) expect(parseDuration(text), text).toBe(expected)
})

it('parses durations in the formats in which the console shows them', () => {
  for (const seconds of [1, 59, 60, 3600, 5400, 86_400, 93_784]) {
    expect(parseDuration(limitText(seconds))).toBe(seconds)
    expect(parseDuration(clockText(seconds))).toBe(seconds)
  }
  expect(limitText(5400)).toBe('1 h 30 min')
  expect(limitText(0)).toBe('0 s')
  expect(clockText(360_000)).toBe('100:00:00')
  expect(parseDuration(' 2 Hours 5m')).toBe(7500)
})

it('rejects everything else', () => {
  for (const text of ['', ' ', 'soon', '1:2:3:4', '-5', '1 h h', '5 parsecs', 'e3'])
    expect(parseDuration(text), text).toBeNull()
})
