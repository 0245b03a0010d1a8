import { describe, expect, it } from 'vitest'
import type { DesktopMode } from '@flotilla/contract/desktops/desktops'
import { makeClientFilter } from './client-messages'

const message = (type: number, length: number): Buffer =>
  Buffer.from([type, ...Array.from({ length: length - 1 }, () => 0)])
const cutText = (length: number): Buffer => {
  const bytes = Buffer.alloc(8 + Math.abs(length), 65)
  bytes.writeUInt8(6)
  bytes.writeInt32BE(length, 4)
  return bytes
}
const encodings = (...all: number[]): Buffer => {
  const bytes = Buffer.alloc(4 + 4 * all.length)
  bytes.writeUInt8(2)
  bytes.writeUInt16BE(all.length, 2)
  all.forEach((one, at) => bytes.writeInt32BE(one, 4 + 4 * at))
  return bytes
}
const fence = Buffer.from([248, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2])
const resize = Buffer.concat([Buffer.from([251, 0, 0, 9, 0, 9, 1, 0]), Buffer.alloc(16)])

const harmless = {
  'pixel format': message(0, 20),
  encodings: encodings(0, 7, -223),
  'an update request': message(3, 10),
  'continuous updates': message(150, 10),
  'a fence': fence,
}
const doing = {
  'a key': message(4, 8),
  'the pointer': message(5, 6),
  'a clipboard': cutText(100),
  'an extended clipboard': cutText(-100),
  'a size': resize,
  'a power action': message(250, 4),
  'an extended key': message(255, 12),
}

/** The data that arrives at the desktop if this is sent in pieces of a size. */
const pass = (mode: DesktopMode, sent: Buffer, size = sent.length) => {
  const arrived: Buffer[] = []
  let active = 0
  const filter = makeClientFilter(mode, { forward: (bytes) => arrived.push(bytes), activity: () => active++ })
  for (let at = 0; at < sent.length; at += size) filter(sent.subarray(at, at + size))
  return { arrived: Buffer.concat(arrived), active }
}

describe('data sent by a viewer', () => {
  const all = Buffer.concat([...Object.values(harmless), ...Object.values(doing), ...Object.values(harmless)])

  it.each([all.length, 1, 7, 1000])('arrives unchanged in control mode, in pieces of %i', (size) => {
    const { arrived, active } = pass('control', all, size)
    expect(arrived.equals(all)).toBe(true)
    expect(active).toBeGreaterThan(2)
  })

  it.each([all.length, 1, 7, 1000])(
    'is limited to harmless messages in view mode, in pieces of %i',
    (size) => {
      const only = Buffer.concat([...Object.values(harmless), ...Object.values(harmless)])
      expect(pass('view', all, size).arrived.equals(only)).toBe(true)
    },
  )

  it.each(Object.entries(doing))('never includes %s in view mode', (_name, sent) => {
    expect(pass('view', sent).arrived).toHaveLength(0)
  })

  it('never offers the encoding that would make pointer events longer', () => {
    expect(pass('control', encodings(0, -316, 7)).arrived.equals(encodings(0, 7))).toBe(true)
  })

  it('loses only a clipboard that is too large', () => {
    const { arrived } = pass(
      'control',
      Buffer.concat([cutText(5_000_000), harmless['an update request']]),
      65_536,
    )
    expect(arrived.equals(harmless['an update request'])).toBe(true)
  })

  it('can be the largest clipboard in the smallest pieces', () => {
    const sent = cutText(1024 * 1024 - 8)
    expect(pass('control', sent, 1).arrived.equals(sent)).toBe(true)
  })

  it('ends the connection if it has an unknown type or too many encodings', () => {
    expect(() => pass('view', message(99, 4))).toThrow('unknown type 99')
    expect(() => pass('control', encodings(...Array.from({ length: 2000 }, () => 0)))).toThrow(
      'too many encodings',
    )
  })
})
