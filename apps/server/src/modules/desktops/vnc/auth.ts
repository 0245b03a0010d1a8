import { createCipheriv, randomBytes, timingSafeEqual } from 'node:crypto'

// Implemented here because no library offers just VNC's variant of DES and xauth files.

export const CHALLENGE_BYTES = 16
/** VNC ignores the rest of a longer password. */
const PASSWORD_BYTES = 8

const reversed = (byte: number): number =>
  Array.from({ length: 8 }, (_, bit) => ((byte >> bit) & 1) << (7 - bit)).reduce((all, one) => all | one, 0)

/** VNC's DES, which reverses the bits of each byte of the key. Triple DES with the same key three times equals DES. */
function des(key: Uint8Array, data: Uint8Array): Buffer {
  const one = Buffer.from(key.map(reversed))
  const cipher = createCipheriv('des-ede3', Buffer.concat([one, one, one]), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(data), cipher.final()])
}

const padded = (password: string): Buffer => {
  const key = Buffer.alloc(PASSWORD_BYTES)
  key.write(password, 'latin1')
  return key
}

export const newChallenge = (): Buffer => randomBytes(CHALLENGE_BYTES)
export const answerChallenge = (password: string, challenge: Uint8Array): Buffer =>
  des(padded(password), challenge)
export const isRightAnswer = (password: string, challenge: Uint8Array, answer: Uint8Array): boolean =>
  answer.length === CHALLENGE_BYTES && timingSafeEqual(answerChallenge(password, challenge), answer)

/** The fixed key of all VNC servers: password files are obfuscated, not encrypted. */
const FILE_KEY = Uint8Array.from([23, 82, 107, 6, 35, 78, 88, 7])
/** A password file in the format of `vncpasswd -f`. */
export const passwordFile = (password: string): Buffer => des(FILE_KEY, padded(password))

const field = (data: Uint8Array): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(data.length)
  return Buffer.concat([length, data])
}
/**
 * An X authority file with one new cookie, valid for every display and host name. Without one, an X server accepts all
 * users of its machine.
 */
export const xAuthority = (): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xff]),
    field(Buffer.alloc(0)),
    field(Buffer.alloc(0)),
    field(Buffer.from('MIT-MAGIC-COOKIE-1')),
    field(randomBytes(16)),
  ])
