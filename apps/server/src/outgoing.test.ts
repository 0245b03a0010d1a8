import { expect, it } from 'vitest'
import { guardedLookup, whyNotCalled } from './outgoing'

const lookUp = (name: string, all: boolean) =>
  new Promise((resolve) =>
    guardedLookup(name, { all }, (error, address) => resolve(error ? error.message : address)),
  )

it('lets a name lead to this machine, but to no address that keeps secrets of it', async () => {
  expect(['127.0.0.1', '::1']).toContain(await lookUp('localhost', false))
  expect(await lookUp('localhost', true)).toContainEqual(
    expect.objectContaining({ family: expect.any(Number) }),
  )
  for (const address of ['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', 'fe80::1%lo', '0.0.0.0'])
    for (const all of [true, false])
      expect(await lookUp(address, all), address).toBe(`${address} leads to an address that is not called`)
})

it('says what is wrong with an address', () => {
  expect(whyNotCalled('https://example.org:8443/path')).toBeNull()
  expect(whyNotCalled('http://10.0.0.1/')).toBeNull()
  expect(whyNotCalled('gopher://example.org')).toContain('http://')
  expect(whyNotCalled('https://me@example.org')).toContain('password')
  expect(whyNotCalled('https://169.254.169.254/latest')).toContain('reserved')
  expect(whyNotCalled('nonsense')).toContain('Enter an address')
})
