import { expect, it } from 'vitest'
import { safePath } from './return-path'

it.each(['/', '/jobs', '/clusters/a%20b?q=1&by=startsWith#top', '/recoverPassword/x'])(
  'allows %s',
  (path) => {
    expect(safePath(path)).toBe(path)
  },
)

it.each([
  '//host/x',
  '/\\host',
  '\\\\host',
  'http://host',
  'javascript:alert(1)',
  'jobs',
  '',
  ' /jobs',
  undefined,
  {},
])('rejects %j', (path) => {
  expect(safePath(path)).toBeNull()
})
