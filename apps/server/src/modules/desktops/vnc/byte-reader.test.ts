import { expect, it } from 'vitest'
import { ByteReader } from './byte-reader'

it('reads across pieces, and disconnects a sender of more data than any handshake has', async () => {
  let cut = 0
  const reader = new ByteReader(() => cut++)
  const first = reader.read(3)
  reader.push(Buffer.from('ab'))
  reader.push(Buffer.from('cd'))
  expect((await first).toString()).toBe('abc')
  reader.push(Buffer.alloc(60_000))
  expect(cut).toBe(0)
  reader.push(Buffer.alloc(60_000))
  reader.push(Buffer.alloc(60_000))
  expect(cut).toBe(1)
  expect(reader.rest()).toHaveLength(0)
  await expect(reader.read(1)).rejects.toThrow('More was sent')
})
