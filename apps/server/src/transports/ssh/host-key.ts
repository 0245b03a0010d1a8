import { createHash } from 'node:crypto'
import type ssh2 from 'ssh2'
import { TransportError } from '../error'

/** The fingerprint in the format of `ssh-keygen -l`. */
export const fingerprint = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

/** Decodes a key in the format of known_hosts, 'ssh-ed25519 AAAA...'. */
const bytesOf = (line: string) => Buffer.from(line.split(' ')[1] ?? '', 'base64')

/** Reads only the key's type: ssh2 passes a key on before it has parsed it, and its parser rejects malformed keys. */
const typeOf = (key: Buffer) => key.toString('latin1', 4, 4 + key.readUInt32BE(0))

/** The key that a server sent, in the format in which it is stored. */
export const hostKeyLine = (key: Buffer): string => `${typeOf(key)} ${key.toString('base64')}`

export const fingerprintOfLine = (line: string): string => fingerprint(bytesOf(line))

/** The signature algorithms of each kind of key; RSA has several. */
const signedBy: Record<string, ssh2.ServerHostKeyAlgorithm[]> = {
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'],
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
}

/** Prefers the known kind of key, so that a server that got an additional key is not reported as changed. */
export const preferred = (known: string | null): ssh2.ServerHostKeyAlgorithm[] =>
  signedBy[known?.split(' ')[0] ?? ''] ?? []

export function checkHostKey(host: string, known: string | null, shown: Buffer): void {
  if (known === null || bytesOf(known).equals(shown)) return
  throw new TransportError(
    'check host key',
    'host key changed',
    `The host key of ${host} has changed: it is now ${fingerprint(shown)} instead of ${fingerprintOfLine(known)}. ` +
      'Either the machine was reinstalled, or someone is intercepting the connection. Nothing was sent. Ask its administrator for the ' +
      'fingerprint, and accept the new key only if it matches.',
  )
}
