import { expect, it } from 'vitest'
import { bitOf, bitsOf, bitsOfOctal, octalOf } from './permissions'

it.each([
  ['rw-r--r--', '644'],
  ['rwxr-x---', '750'],
  ['---------', '000'],
  ['rwsr-sr-t', '7755'],
  ['rw-r-Sr-T', '3644'],
])('reads %s as %s', (text, octal) => {
  expect(octalOf(bitsOf(text))).toBe(octal)
  expect(bitsOfOctal(octal)).toBe(bitsOf(text))
})

it('returns the bit of each right, and null for invalid octal permissions', () => {
  expect([bitOf('owner', 'read'), bitOf('group', 'write'), bitOf('others', 'execute')]).toEqual([
    0o400, 0o020, 0o001,
  ])
  for (const malformed of ['', '7', '888', '64a', '07777', '-644'])
    expect(bitsOfOctal(malformed), malformed).toBeNull()
})
