import { randomBytes } from 'node:crypto'

/** An opaque id: 100 random bits in letters and digits that survive being read aloud. */
export const newId = (): string => {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  return Array.from(randomBytes(20), (byte) => alphabet[byte % 32]).join('')
}
