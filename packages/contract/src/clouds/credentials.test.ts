import { describe, expect, it } from 'vitest'
import { isWriteOnly, storedOrEntered, missingFields, storedField } from './credentials'

const field = (id: string, type: 'text' | 'password', more: { multiline?: boolean } = {}) => ({
  id,
  label: id,
  type,
  required: true,
  ...more,
})

describe('what is returned of a stored value', () => {
  it.each([
    ['project_id', 'text', 'fluid-flow', { set: true, value: 'fluid-flow', ending: null }],
    ['token_uri', 'text', 'https://x', { set: true, value: 'https://x', ending: null }],
    ['fingerprint', 'text', '12:34', { set: true, value: '12:34', ending: null }],
    ['access_key', 'text', 'AKIAIOSFODNN7EXAMPLE', { set: true, value: null, ending: 'MPLE' }],
    ['private_key_id', 'text', '0123456789abcdef', { set: true, value: null, ending: 'cdef' }],
    ['access_key', 'text', 'short', { set: true, value: null, ending: null }],
    ['secret_key', 'password', 'AKIAIOSFODNN7EXAMPLE', { set: true, value: null, ending: null }],
    ['anything', 'password', 'AKIAIOSFODNN7EXAMPLE', { set: true, value: null, ending: null }],
    ['project_id', 'text', undefined, { set: false, value: null, ending: null }],
    ['secret_key', 'password', '', { set: false, value: null, ending: null }],
  ] as const)('%s, a %s: %s', (id, type, value, shown) => {
    expect(storedField(field(id, type), value)).toEqual(shown)
  })

  it('nothing is returned of a field that is named like a key, whatever its type', () => {
    for (const id of ['secret_key', 'key_file', 'client_secret', 'session_token', 'api_key', 'private_key'])
      expect(isWriteOnly(field(id, 'text')), id).toBe(true)
    for (const id of ['client_id', 'token_uri', 'tenancy_ocid', 'subscription_id', 'key_vault_url'])
      expect(isWriteOnly(field(id, 'text')), id).toBe(false)
  })
})

describe('a change', () => {
  const secret = field('secret_key', 'password')
  const plain = field('project_id', 'text')
  it('keeps a secret that is left empty, and clears a readable value', () => {
    expect(storedOrEntered(secret, '', 'old')).toBe('old')
    expect(storedOrEntered(secret, '  ', 'old')).toBe('old')
    expect(storedOrEntered(plain, '', 'old')).toBeUndefined()
  })
  it('keeps what is omitted, and removes what is null', () => {
    for (const one of [secret, plain]) {
      expect(storedOrEntered(one, undefined, 'old')).toBe('old')
      expect(storedOrEntered(one, null, 'old')).toBeUndefined()
      expect(storedOrEntered(one, ' new ', 'old')).toBe('new')
    }
  })
  it('normalizes the line breaks of a key to those that every library accepts', () => {
    expect(
      storedOrEntered(field('key_file', 'password', { multiline: true }), ' a\r\nb\rc\n', undefined),
    ).toBe('a\nb\nc')
  })
})

it('reports missing fields by their labels', () => {
  const fields = [field('a', 'text'), field('b', 'text'), { ...field('c', 'text'), required: false }]
  expect(missingFields(fields, (id) => id === 'a')).toEqual({ b: 'b is missing' })
})
