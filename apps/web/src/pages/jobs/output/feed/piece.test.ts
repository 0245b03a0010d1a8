import { describe, expect, it } from 'vitest'
import { fit, wholeCharacters } from './piece'
import { bytes, text } from './test-file'

describe('chunks', () => {
  it('leave a partial character to the next chunk', () => {
    const all = bytes('aüb')
    const left = { text: text(all.slice(0, 2)), from: 0, next: 2 }
    expect(wholeCharacters(left, { before: false, after: true })).toEqual({ text: 'a', from: 0, next: 1 })
    const right = { text: text(all.slice(2)), from: 2, next: 4 }
    expect(wholeCharacters(right, { before: true, after: false })).toEqual({ text: 'b', from: 3, next: 4 })
  })
  it('are trimmed if they overlap', () => {
    expect(fit(5, { text: 'üabc', from: 3, next: 8 })).toEqual({ how: 'append', text: 'abc' })
    expect(fit(8, { text: 'abc', from: 3, next: 6 })).toEqual({ how: 'known' })
    expect(fit(2, { text: 'abc', from: 3, next: 6 })).toEqual({ how: 'gap' })
    expect(fit(2, { text: 'abc', from: 0, next: 3 })).toEqual({ how: 'restart' })
  })
})
