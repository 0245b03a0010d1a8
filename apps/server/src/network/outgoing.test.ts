import { describe, expect, it } from 'vitest'
import { addressOf, guardedLookup, isForbidden, isPrivate, forbiddenUrlReason } from './outgoing'

const lookUp = (name: string, all: boolean) =>
  new Promise((resolve) =>
    guardedLookup(name, { all }, (error, address) => resolve(error ? error.message : address)),
  )

it('a name may resolve to this machine, but not to a forbidden address', async () => {
  expect(['127.0.0.1', '::1']).toContain(await lookUp('localhost', false))
  expect(await lookUp('localhost', true)).toContainEqual(
    expect.objectContaining({ family: expect.any(Number) }),
  )
  for (const address of ['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', 'fe80::1%lo', '0.0.0.0'])
    for (const all of [true, false])
      expect(await lookUp(address, all), address).toBe(`${address} resolves to a forbidden address`)
})

it('a URL that must not be called is rejected with the reason', () => {
  expect(forbiddenUrlReason('https://example.org:8443/path')).toBeNull()
  expect(forbiddenUrlReason('http://10.0.0.1/')).toBeNull()
  expect(forbiddenUrlReason('gopher://example.org')).toContain('http://')
  expect(forbiddenUrlReason('https://me@example.org')).toContain('password')
  expect(forbiddenUrlReason('https://169.254.169.254/latest')).toContain('metadata address')
  expect(forbiddenUrlReason('nonsense')).toContain('Enter a URL')
})

/** Generates the same numbers in every run. */
function makeRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
const random = makeRandom(10)
type Bytes = [number, number, number, number]
const byte = () => random(256)
const many = (make: () => Bytes): Bytes[] => Array.from({ length: 50 }, make)

const hex = (value: number, digits = 2) => value.toString(16).padStart(digits, '0')
const pair = (a: number, b: number) => `${hex(a)}${hex(b)}`

/** Every notation of an IPv4 address that a resolver or a URL parser accepts. */
function spellingsOf([a, b, c, d]: Bytes): string[] {
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
  const octal = (value: number) => `0${value.toString(8)}`
  return [
    `${a}.${b}.${c}.${d}`,
    `${a}.${b}.${c}.${d}.`,
    String(whole),
    `0x${hex(whole, 8)}`,
    `0X${hex(whole, 8).toUpperCase()}`,
    octal(whole),
    [a, b, c, d].map(octal).join('.'),
    [a, b, c, d].map((value) => `0x${hex(value)}`).join('.'),
    `${a}.${b}.${(c << 8) | d}`,
    `${a}.${(b << 16) | (c << 8) | d}`,
    `0x${hex(a)}.${octal(b)}.${(c << 8) | d}.`,
  ]
}
/** Every IPv6 address that leads to the IPv4 address. */
function embeddingsOf([a, b, c, d]: Bytes): string[] {
  const last = `${pair(a, b)}:${pair(c, d)}`
  return [
    `::ffff:${a}.${b}.${c}.${d}`,
    `::ffff:${last}`,
    `::FFFF:${last.toUpperCase()}`,
    `0:0:0:0:0:ffff:${last}`,
    `::ffff:0:${last}`,
    `::${a}.${b}.${c}.${d}`,
    `64:ff9b::${last}`,
    `64:FF9B::${a}.${b}.${c}.${d}`,
    `64:ff9b:1::${last}`,
    `64:ff9b:1:${pair(a, b)}:${pair(0, c)}:${pair(d, 0)}::`,
    `64:ff9b:1:${pair(7, a)}:${pair(0, b)}:${pair(c, d)}::`,
    `64:ff9b:1:7:${pair(0, a)}:${pair(b, c)}:${pair(d, 0)}:0`,
    `2002:${last}::1`,
    `2001:0:${last}:8000:63bf:f7f7:f7f7`,
    `2001:0:808:808:8000:63bf:${pair(255 - a, 255 - b)}:${pair(255 - c, 255 - d)}`,
    `2606:4700::5efe:${a}.${b}.${c}.${d}`,
    `2606:4700::200:5efe:${last}`,
    `::ffff:${last}%eth0`,
  ]
}
const writtenAs = (bytes: Bytes) => [...spellingsOf(bytes), ...embeddingsOf(bytes)]
const urlOf = (host: string) => `http://${host.includes(':') ? `[${host.replace(/%.*/, '')}]` : host}/`

const forbidden: Bytes[] = [
  [169, 254, 169, 254],
  [100, 100, 100, 200],
  [168, 63, 129, 16],
  [192, 0, 0, 192],
  ...many(() => [169, 254, byte(), byte()]),
]
const inside: Bytes[] = [
  ...many(() => [127, byte(), byte(), byte()]),
  ...many(() => [10, byte(), byte(), byte()]),
  ...many(() => [172, 16 + random(16), byte(), byte()]),
  ...many(() => [192, 168, byte(), byte()]),
  ...many(() => [100, 64 + random(36), byte(), byte()]),
  ...many(() => [198, 18 + random(2), byte(), byte()]),
  ...many(() => [240 + random(16), byte(), byte(), byte()]),
  [192, 0, 0, 170],
]
// Addresses next to the ranges and far from them. Their bytes are in no range when read at another offset.
const open: Bytes[] = [
  [172, 32, 0, 1],
  [192, 167, 1, 1],
  [198, 20, 0, 1],
  [192, 0, 1, 1],
  [100, 128, 0, 1],
  ...many(() => [20 + random(70), 20 + random(70), 20 + random(70), 20 + random(70)]),
]

describe('an address in any notation', () => {
  it('is parsed to its usual form', () => {
    for (const bytes of [...forbidden, ...inside, ...open])
      for (const text of spellingsOf(bytes)) expect(addressOf(text), text).toBe(bytes.join('.'))
    for (const name of ['example.org', 'head', 'head-1.example.org.', 'a9fe', '1.2.3.4.5', '256.1.1.1', ''])
      expect(addressOf(name), name).toBeNull()
  })

  it('is rejected if it is forbidden', () => {
    for (const text of forbidden.flatMap(writtenAs)) {
      expect(isForbidden(text), text).toBe(true)
      expect(forbiddenUrlReason(urlOf(text)), text).toContain('metadata address')
    }
    for (const text of ['fe80::1', 'FEBF::1%eth0', '::', '0:0::0', 'fd00:ec2::254', '0', '0x0', '0.1.2.3'])
      expect(isForbidden(text), text).toBe(true)
  })

  it('is private if it leads to a private network', () => {
    for (const text of inside.flatMap(writtenAs)) {
      expect(isPrivate(text), text).toBe(true)
      expect(isForbidden(text), text).toBe(false)
    }
    for (const text of ['::1', '0:0:0:0:0:0:0:1', 'fd12:3456::1', 'FC00::1', 'fec0::1'])
      expect([isPrivate(text), isForbidden(text)], text).toEqual([true, false])
  })

  it('is neither if it is public', () => {
    for (const text of open.flatMap(writtenAs)) {
      expect([isPrivate(text), isForbidden(text)], text).toEqual([false, false])
      expect(forbiddenUrlReason(urlOf(text)), text).toBeNull()
    }
    // Parts of these are in a range when read at another offset.
    const neighbors = ['172.15.255.255', '100.63.255.255', '169.253.1.1', '239.255.255.255']
    for (const text of ['2606:4700::1111', '2a00:1450:4001::200e', ...neighbors])
      expect([isPrivate(text), isForbidden(text)], text).toEqual([false, false])
  })
})
