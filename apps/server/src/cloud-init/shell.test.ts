import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { environment, quoted } from './shell'

const hostile = [
  '',
  ' ',
  '$(touch /tmp/flotilla-was-here)',
  '`reboot`',
  "it's 'quoted' \"twice\"",
  'two\nlines\n',
  '\\',
  "'\\''",
  '${IFS}; rm -rf /',
  '-n',
  '%s%n',
  '!! * ? [a-z] ~ #',
  'Grüße 🚀',
  'a\tb\r\nc',
]

describe('user input', () => {
  test.for(hostile)('is passed through a shell unchanged: %j', (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${quoted(text)}`], { encoding: 'utf8' })).toBe(text)
  })

  test('is only a value in a file that is sourced', () => {
    const values = Object.fromEntries(hostile.map((text, index) => [`V${index}`, text]))
    const read = hostile.map((_, index) => `printf '%s\\0' "$V${index}"`).join('; ')
    const output = execFileSync('sh', ['-c', `${environment(values)}${read}`], { encoding: 'utf8' })
    expect(output.split('\0').slice(0, -1)).toEqual(hostile)
  })

  test('with a NUL character is rejected, because shells do not support it', () => {
    expect(() => quoted('a\0b')).toThrow(/NUL character/)
  })
})
