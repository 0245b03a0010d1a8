import { CODE_DIGITS } from '@flotilla/contract/limits'

/** A verification code while it is typed: one entry per box, empty if not filled in yet. */
export type Code = readonly string[]

export const emptyCode: Code = Array.from({ length: CODE_DIGITS }, () => '')

/** The digits of pasted or autofilled text, cut to the length of a code. */
export const digitsOf = (text: string): string => text.replace(/\D/g, '').slice(0, CODE_DIGITS)

export const codeFrom = (text: string): Code => {
  const digits = digitsOf(text)
  return emptyCode.map((_, index) => digits[index] ?? '')
}

export const withDigit = (code: Code, index: number, digit: string): Code =>
  code.map((old, at) => (at === index ? digit : old))

export const isComplete = (code: Code): boolean => code.every((digit) => digit !== '')

export const codeText = (code: Code): string => code.join('')

/** The next box to fill: the first empty one, or the last. */
export const nextBox = (code: Code): number => {
  const empty = code.indexOf('')
  return empty === -1 ? code.length - 1 : empty
}

/**
 * A box that contained `old` now contains `typed`: the browser passes both characters in caret order, and the new one
 * wins. More than two characters are a pasted or autofilled code, which `null` signals to the caller.
 */
export const typedDigit = (old: string, typed: string): string | null => {
  const digits = typed.replace(/\D/g, '')
  if (digits.length > 2) return null
  if (digits.length < 2 || old === '') return digits.slice(0, 1)
  return digits.replace(old, '').slice(0, 1)
}
