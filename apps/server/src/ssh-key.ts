import ssh2 from 'ssh2'

/** The public key that belongs to a private key, as a line of authorized_keys. */
export function publicKeyIn(privateKey: string): string {
  const key = ssh2.utils.parseKey(privateKey)
  if (key instanceof Error) throw key
  return `${key.type} ${key.getPublicSSH().toString('base64')}`
}

/** An ed25519 pair in OpenSSH's own formats. */
export function makeSshKey(comment: string): { publicKey: string; privateKey: string } {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519', { comment })
    // The library drops leading zero bytes of a public key, so that one pair in 256 cannot be read
    // (https://github.com/mscdex/ssh2/issues/1513): such pairs are discarded.
    if (!(ssh2.utils.parseKey(pair.public) instanceof Error))
      return { publicKey: pair.public, privateKey: pair.private }
  }
}
