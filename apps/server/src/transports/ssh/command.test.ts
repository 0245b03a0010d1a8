import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commandLine, marked, quote } from './command'

/** Accounts have all kinds of login shells. sh is always available; the others are tested if they are installed. */
const shells = ['/bin/sh', '/bin/bash', '/bin/dash', '/bin/zsh', '/bin/tcsh', '/usr/bin/fish'].filter(
  existsSync,
)

const signs = Array.from({ length: 126 }, (_, index) => String.fromCharCode(index + 1))
const words = [
  ...signs,
  ...signs.map((sign) => `a${sign}b`),
  ...signs.map((sign) => `${sign}${sign}`),
  ...signs.map((sign) => `'${sign}\\${sign}`),
  '',
  ' ',
  "it's",
  '\\n',
  '\\\\',
  "\\'",
  '"$HOME" `id` $(id)',
  '!!',
  '!$',
  '=ls',
  '~root',
  '%1',
  '-n',
  'grüße 漢字 🚀',
  'two\nlines\n\n',
  "a'\nb!\\0101",
]

describe('a command for another shell', () => {
  for (const shell of shells)
    it(`is interpreted identically by ${shell}`, () => {
      const outputOf = (given: string[]) =>
        execFileSync(shell, ['-c', commandLine(['printf', '%s\\0', ...given])], { encoding: 'utf8' })
          .split('\0')
          .slice(0, -1)
      const oneLine = words.filter((word) => !/[\n\r]/.test(word))
      expect(outputOf(oneLine)).toEqual(oneLine)
      expect(outputOf(words)).toEqual(words)
    })

  it('leaves plain words unquoted', () => {
    expect(quote('/usr/bin/squeue')).toBe('/usr/bin/squeue')
    expect(quote('a b')).toBe("'a b'")
    expect(quote("it's")).toBe("'it'\\''s'")
  })

  for (const shell of shells)
    it(`marks the beginning of its own output in ${shell}`, () => {
      const line = marked(
        { argv: ['sh', '-c', 'echo "$X" $PWD'], cwd: '/usr', env: { X: "it's\n!" } },
        'mark-1',
      )
      const output = execFileSync(shell, ['-c', line], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      expect(output).toBe("mark-1\nit's\n! /usr\n")
    })

  it('rejects an invalid variable name', () => {
    expect(() => marked({ argv: ['true'], env: { 'X; rm -rf /': '' } }, 'm')).toThrow(
      'cannot be set as a variable',
    )
  })
})
