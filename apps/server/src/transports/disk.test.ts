import { describe, expect, it } from 'vitest'
import { kindOf, modeString, split } from './disk'

describe('permissions in the format of ls', () => {
  it.each([
    [0o100644, '-rw-r--r--'],
    [0o040755, 'drwxr-xr-x'],
    [0o120777, 'lrwxrwxrwx'],
    [0o104755, '-rwsr-xr-x'],
    [0o102654, '-rw-r-sr--'],
    [0o104644, '-rwSr--r--'],
    [0o041777, 'drwxrwxrwt'],
    [0o041776, 'drwxrwxrwT'],
    [0o010600, 'prw-------'],
  ])('%o is %s', (mode, shown) => {
    expect(modeString(mode)).toBe(shown)
  })

  it('distinguish the kinds of entries', () => {
    expect([0o100644, 0o040755, 0o120777, 0o020666].map(kindOf)).toEqual(['file', 'folder', 'link', 'other'])
  })
})

describe('paths', () => {
  it('are split at slashes, and .. is rejected', () => {
    expect(split('/a//./b c/', 'read file')).toEqual(['a', 'b c'])
    expect(split('', 'read file')).toEqual([])
    expect(split('..a/b..', 'read file')).toEqual(['..a', 'b..'])
    for (const path of ['..', 'a/..', '/../etc', 'a/../../b'])
      expect(() => split(path, 'read file'), path).toThrow('is outside this folder')
  })
})
