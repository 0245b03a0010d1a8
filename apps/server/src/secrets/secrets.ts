import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { writeDurably } from '@flotilla/system/durable-file'
import { messageOf } from '../explain'

const VERSION = 'v1'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface Secrets {
  /**
   * Encrypts for storage. The context says where the value lives (`users/<id>/ssh-key`); a value that is copied to
   * another row or column cannot be opened there.
   */
  seal(plaintext: string | Buffer, context: string): string
  /** Throws if the value was changed, belongs to another place, or was sealed with another key. */
  open(sealed: string, context: string): Buffer
  /** A key of 32 bytes for one purpose, which reveals nothing about the master key or keys for other purposes. */
  deriveKey(purpose: string): Buffer
}

/** Reads the master key, or creates it if there is none. Servers that start at the same time get the same one. */
export async function openMasterKey(file: string): Promise<Secrets> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const key = (await readKey(file)) ?? (await makeKey(file))
  return secretsUnder(key)
}

/** Undefined if there is no key. */
export async function readMasterKey(file: string): Promise<Secrets | undefined> {
  const key = await readKey(file)
  return key && secretsUnder(key)
}

/** The key for the hashes of access tokens, unless one is kept from before a rotation. */
export const tokenKeyUnder = (secrets: Secrets): Buffer => secrets.deriveKey('access tokens')

/** Identifies the key that a database belongs to, and reveals nothing about it. */
export const markOf = (secrets: Secrets): string => secrets.deriveKey('mark').toString('hex')

async function makeKey(file: string): Promise<Buffer> {
  await writeNewKey(file)
  const key = await readKey(file)
  if (!key) throw new Error(`The master key in ${file} disappeared while it was being created`)
  return key
}

/** Does not replace an existing key. */
export const writeNewKey = (file: string): Promise<boolean> =>
  writeDurably(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { keep: true })

async function readKey(file: string): Promise<Buffer | undefined> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new Error(`The master key in ${file} cannot be read: ${messageOf(error)}`)
  })
  if (!handle) return undefined
  try {
    const { mode } = await handle.stat()
    if (mode & 0o077)
      throw new Error(
        `The master key in ${file} is readable by other accounts (mode ${(mode & 0o777).toString(8)}). ` +
          `Restrict it with: chmod 600 '${file}'. If someone may have read it, replace every stored secret.`,
      )
    const text = (await handle.readFile('utf8')).trim()
    const key = Buffer.from(text, 'base64')
    // Node ignores characters that are not base64; a damaged key must not pass for a shorter or another one.
    if (key.length !== KEY_BYTES || key.toString('base64') !== text)
      throw new Error(
        `The master key in ${file} is corrupted: it must be ${KEY_BYTES} bytes in base64. ` +
          'Restore it from a backup. Stored secrets cannot be decrypted without it.',
      )
    return key
  } finally {
    await handle.close()
  }
}

function secretsUnder(master: Buffer): Secrets {
  const deriveKey = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `flotilla ${purpose}`, KEY_BYTES))
  const key = deriveKey('seal')
  return {
    deriveKey,
    // Not a JWE: jose seals only asynchronously, and its compact form has no room for the context that a value is
    // bound to.
    seal(plaintext, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
      return `${VERSION}.${sealed.toString('base64url')}`
    },
    open(sealed, context) {
      const [version, text, ...more] = sealed.split('.')
      const bytes = Buffer.from(text ?? '', 'base64url')
      if (version !== VERSION || more.length > 0 || bytes.length < NONCE_BYTES + TAG_BYTES)
        throw new Error(`A stored secret (${context}) has a format that this version does not support`)
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
      } catch {
        throw new Error(
          `A stored secret (${context}) cannot be decrypted: it was changed or sealed with another master key`,
        )
      }
    },
  }
}
