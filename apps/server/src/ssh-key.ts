import { generateKeyPairSync, randomBytes } from 'node:crypto'

const KIND = 'ssh-ed25519'
const CIPHER_BLOCK = 8
const LINE = 70

const field = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** The public half, as authorized_keys takes it, of a private key in OpenSSH's own format. */
export function publicKeyIn(privateKey: string): string {
  const bytes = Buffer.from(privateKey.replace(/-----[^\n]+-----/g, ''), 'base64')
  let at = 'openssh-key-v1\0'.length
  const read = (): Buffer => {
    const begin = at + 4
    at = begin + bytes.readUInt32BE(at)
    return bytes.subarray(begin, at)
  }
  // Cipher, key derivation, its options, and the number of keys.
  for (let skipped = 0; skipped < 3; skipped++) read()
  at += 4
  return `${KIND} ${read().toString('base64')}`
}

/** An ed25519 pair in OpenSSH's own formats, as every ssh client reads them. */
export function makeSshKey(comment: string): { publicKey: string; privateKey: string } {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const publicBytes = Buffer.from(jwk.x ?? '', 'base64url')
  const seed = Buffer.from(jwk.d ?? '', 'base64url')
  const publicBlob = Buffer.concat([field(KIND), field(publicBytes)])

  // The check number stands twice so that a reader of an encrypted file sees whether it was decrypted rightly.
  const check = randomBytes(4)
  const secret = Buffer.concat([
    check,
    check,
    publicBlob,
    field(Buffer.concat([seed, publicBytes])),
    field(comment),
  ])
  const padding = Buffer.from(
    Array.from({ length: (CIPHER_BLOCK - (secret.length % CIPHER_BLOCK)) % CIPHER_BLOCK }, (_, i) => i + 1),
  )
  const one = Buffer.from([0, 0, 0, 1])
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    field('none'), // cipher
    field('none'), // key derivation
    field(''), // its options
    one, // number of keys
    field(publicBlob),
    field(Buffer.concat([secret, padding])),
  ]).toString('base64')
  const lines = file.match(new RegExp(`.{1,${LINE}}`, 'g')) ?? []
  return {
    publicKey: `${KIND} ${publicBlob.toString('base64')} ${comment}`,
    privateKey: [
      '-----BEGIN OPENSSH PRIVATE KEY-----',
      ...lines,
      '-----END OPENSSH PRIVATE KEY-----',
      '',
    ].join('\n'),
  }
}
