import { NewPassword } from '@flotilla/contract/people/account-fields'
import { expect, it } from 'vitest'
import { passwordRules } from './password-rules'

const passwords = [
  '',
  'short1!A',
  'Sh0rt!',
  'alllowercase1!',
  'ALLUPPERCASE1!',
  'NoDigitsHere!',
  'NoSpecial123',
  'Wrong-Special1',
  'Good!Pass1',
  'Trés!Bien1',
  'with space A1*',
  'line\nbreak A1*',
  '!@#$%^&*aA1',
]

it.each(passwords)('agrees with the contract about %j', (password) => {
  const missing = passwordRules.filter((rule) => !rule.holds(password))
  expect(missing.length === 0).toBe(NewPassword.safeParse(password).success)
})

it('names exactly what is missing', () => {
  const missing = passwordRules.filter((rule) => !rule.holds('lower1')).map((rule) => rule.label)
  expect(missing).toEqual(['At least 8 characters', 'An uppercase letter', 'One of !@#$%^&*'])
})
