import { Filter } from 'ldapts'
import { expect, it } from 'vitest'
import { isDisabled } from './disabled'
import { dnKey, escapeDnValue, fill } from './names'

it('values of filters are escaped as in RFC 4515', () => {
  expect(Filter.escape('a*(b)\\\0é')).toBe('a\\2a\\28b\\29\\5c\\00é')
})

it('values of DNs are escaped as in RFC 4514', () => {
  expect(escapeDnValue(' #a, "b"+c;<d>=\\ ')).toBe('\\20#a\\2c \\22b\\22\\2bc\\3b\\3cd\\3e\\3d\\5c\\20')
  expect(escapeDnValue('#a')).toBe('\\23a')
})

it('placeholders in values are not filled', () => {
  expect(fill('(uid={username})', { username: '$&{dn}' })).toBe('(uid=$&{dn})')
})

it('DNs are compared regardless of spelling', () => {
  const key = dnKey('cn=Doe\\, Jane,ou=People,dc=example,dc=org')
  for (const same of [
    'CN=doe\\2c jane , OU=people;DC=Example, dc=org',
    'cn=Doe\\,  Jane,ou=People,dc=example,dc=org',
    'cn=\\44oe\\, Jane,ou=People,dc=example,dc=org',
  ])
    expect(dnKey(same), same).toBe(key)
  for (const other of [
    'cn=Doe,ou=Jane,ou=People,dc=example,dc=org',
    'cn=Doe\\, Jane\\ ,ou=People,dc=example,dc=org',
  ])
    expect(dnKey(other), other).not.toBe(key)
  expect(dnKey('uid=a+cn=b')).toBe(dnKey('cn=b+uid=a'))
  expect(dnKey('cn=M\\c3\\bcller')).toBe(dnKey('cn=Müller'))
})

const NOW = Date.UTC(2030, 0, 1)
const FILETIME_OF_2029 = '135064800000000000'
it.each([
  ['Active Directory', { userAccountControl: '514' }, true],
  ['Active Directory, enabled', { userAccountControl: '512', accountExpires: '9223372036854775807' }, false],
  ['Active Directory, never expires', { accountExpires: '0' }, false],
  ['Active Directory, expired', { accountExpires: FILETIME_OF_2029 }, true],
  ['389 Directory Server', { nsAccountLock: 'TRUE' }, true],
  ['eDirectory', { loginDisabled: 'TRUE' }, true],
  ['OpenLDAP, locked by an admin', { pwdAccountLockedTime: '000001010000Z' }, true],
  ['OpenLDAP, after wrong passwords', { pwdAccountLockedTime: '20291231235900Z' }, false],
  ['a shadow account, expired', { shadowExpire: '1' }, true],
  ['a shadow account that never expires', { shadowExpire: '-1' }, false],
  ['an entry without status attributes', {}, false],
])('the status of an entry is recognized: %s', (_server, attributes, disabled) => {
  const values = new Map(Object.entries(attributes))
  const entry = { dn: '', values: (name: string) => [values.get(name) ?? []].flat() }
  expect(isDisabled(entry, NOW)).toBe(disabled)
})
