import { createHash } from 'node:crypto'
import type ssh2 from 'ssh2'
import { TransportError } from '../error'

/** As `ssh-keygen -l` shows it. */
export const fingerprint = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

/** A key as it stands in known_hosts, 'ssh-ed25519 AAAA...', to its bytes. */
const bytesOf = (line: string) => Buffer.from(line.split(' ')[1] ?? '', 'base64')

/** Only this field of the key: ssh2 shows a key before it has parsed it, and its parser refuses what a hostile server may send. */
const typeOf = (key: Buffer) => key.toString('latin1', 4, 4 + key.readUInt32BE(0))

/** The bytes that a server sent as its key, in the form in which it is kept. */
export const hostKeyLine = (key: Buffer): string => `${typeOf(key)} ${key.toString('base64')}`

export const fingerprintOfLine = (line: string): string => fingerprint(bytesOf(line))

/** RSA keys are one kind with several ways to sign. */
const signedBy: Record<string, ssh2.ServerHostKeyAlgorithm[]> = {
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'],
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
}

/** Asks for the kind of key that is known first: a server that has got another one besides has not changed. */
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
