import { expect, it } from 'vitest'
import { errorText } from './fields'

it('returns the error of a field, or of the first invalid entry of a list', () => {
  expect(errorText(undefined, 'x')).toBeUndefined()
  expect(errorText({ type: 'schema', message: 'Too short' }, 'x')).toBe('Too short')
  const list = [undefined, { type: 'schema', message: 'Enter a package name' }]
  expect(errorText(list, ['htop', '-rf'])).toBe('-rf: Enter a package name')
  expect(errorText({ 1: list[1] }, ['htop', '-rf'])).toBe('-rf: Enter a package name')
})
