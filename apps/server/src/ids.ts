import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 20

/** Random bytes for many ids at once: each request needs an id, and a system call takes longer than making one. */
const pool = Buffer.alloc(LENGTH * 200)
let used = pool.length

/** An opaque id: 100 random bits in letters and digits that survive being read aloud. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let id = ''
  for (const end = used + LENGTH; used < end; used++) id += ALPHABET.charAt(pool.readUInt8(used) % 32)
  return id
}
