import { describe, expect, it } from 'vitest'
import { codeFrom, codeText, digitsOf, emptyCode, isComplete, nextBox, typedDigit, withDigit } from './code'

describe('a verification code', () => {
  it.each([
    ['123456', '123456'],
    ['123 456', '123456'],
    ['Your code: 12-34-56.', '123456'],
    ['1234567890', '123456'],
    ['12', '12'],
    ['no digits', ''],
    ['١٢٣456', '456'],
  ])('takes the digits of a pasted %j', (pasted, digits) => {
    expect(digitsOf(pasted)).toBe(digits)
    expect(codeText(codeFrom(pasted))).toBe(digits)
  })

  it('is complete only when every box is filled', () => {
    expect(isComplete(emptyCode)).toBe(false)
    expect(isComplete(codeFrom('12345'))).toBe(false)
    expect(isComplete(codeFrom('123456'))).toBe(true)
    expect(isComplete(withDigit(codeFrom('123456'), 2, ''))).toBe(false)
  })

  it('moves to the first empty box, or stays at the last', () => {
    expect(nextBox(codeFrom('12'))).toBe(2)
    expect(nextBox(withDigit(codeFrom('123456'), 1, ''))).toBe(1)
    expect(nextBox(codeFrom('123456'))).toBe(5)
  })

  it('replaces the digit in the box with the new one', () => {
    expect(typedDigit('', '7')).toBe('7')
    expect(typedDigit('3', '37')).toBe('7')
    expect(typedDigit('3', '73')).toBe('7')
    expect(typedDigit('3', '33')).toBe('3')
    expect(typedDigit('3', '')).toBe('')
    expect(typedDigit('3', 'x')).toBe('')
  })

  it('recognizes a full code that the browser filled into one box', () => {
    expect(typedDigit('', '123456')).toBeNull()
  })
})
