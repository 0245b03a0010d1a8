import { expect, test } from 'vitest'
import { asCsv } from './csv'

test('times are readable in a spreadsheet, a formula is only text, and an unknown price is empty', () => {
  const row = {
    name: '=1+1',
    startedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
    endedAt: null,
    price: null,
    note: 'a, "b"',
  }
  expect(asCsv([row])).toBe(
    `name,startedAt,endedAt,price,note\r\n'=1+1,2026-01-02T03:04:05.000Z,,,"a, ""b"""\r\n`,
  )
})
