import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  scrypt,
  type ScryptOptions,
} from 'node:crypto'
import { promisify } from 'node:util'
import * as z from 'zod/mini'
import { BackupError } from './error'

// The file is three lines of text (a magic string, the header as JSON, and the checksum of both), then chunks. A chunk
// is four bytes with its length, its ciphertext, and the tag of AES-256-GCM. The nonce of a chunk is its number and
// whether it is the last, and the header is authenticated with each: chunks that were changed, removed, repeated,
// reordered or cut off do not open. This is the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár. It is
// built on node:crypto, because an age file has no room for what must be readable before the passphrase is known, and
// no form without a passphrase.

const MAGIC = 'FLOTILLA BACKUP 1'
const CHUNK_BYTES = 64 * 1024
const TAG_BYTES = 16
const KEY_BYTES = 32
const HEADER_BYTES_MAX = 16 * 1024
/** The cost that OWASP recommends, which takes 128 MB of memory for half a second. */
const COST = { N: 2 ** 17, r: 8, p: 1 }
const COST_MAX = 2 ** 20

const Header = z.object({
  /** The version of Flotilla. */
  version: z.string(),
  createdAt: z.number(),
  salt: z.string(),
  /** Distinguishes a wrong passphrase from a damaged file. */
  keyCheck: z.string(),
  /** How the key is derived from the passphrase; null if the file is not encrypted. */
  scrypt: z.nullable(
    z.object({
      N: z.number().check(z.int(), z.maximum(COST_MAX)),
      r: z.number().check(z.int(), z.maximum(16)),
      p: z.number().check(z.int(), z.maximum(4)),
    }),
  ),
  /** The key itself if the file is not encrypted: the chunks then only detect damage. */
  plainKey: z.nullable(z.string()),
})
export type Header = z.infer<typeof Header>

const stretch = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
const checkOf = (key: Buffer, salt: Buffer) =>
  Buffer.from(hkdfSync('sha256', key, salt, 'flotilla backup key check', 16)).toString('hex')
const chunkKey = (key: Buffer, salt: Buffer) =>
  Buffer.from(hkdfSync('sha256', key, salt, 'flotilla backup chunks', KEY_BYTES))
const digest = (text: string) => createHash('sha256').update(text).digest('hex')

const fromPassphrase = (passphrase: string, salt: Buffer, cost: typeof COST) =>
  // The same letters can have another Unicode form when they are typed on another keyboard.
  stretch(passphrase.normalize('NFKC'), salt, KEY_BYTES, { ...cost, maxmem: 256 * cost.N * cost.r })

type Sealer = { lines: Buffer; key: Buffer }

/** The three lines of a new file, and the key of its chunks. */
export async function newHeader(
  passphrase: string | undefined,
  about: Pick<Header, 'version' | 'createdAt'>,
): Promise<Sealer> {
  const salt = randomBytes(32)
  const cost = passphrase === undefined ? null : COST
  const key = passphrase === undefined ? randomBytes(KEY_BYTES) : await fromPassphrase(passphrase, salt, COST)
  const header: Header = {
    ...about,
    salt: salt.toString('base64'),
    keyCheck: checkOf(key, salt),
    scrypt: cost,
    plainKey: cost === null ? key.toString('base64') : null,
  }
  const text = `${MAGIC}\n${JSON.stringify(header)}\n`
  return { lines: Buffer.from(`${text}${digest(text)}\n`), key: chunkKey(key, salt) }
}

/** Parses the first bytes of a file; throws if they are not those of a backup or are damaged. */
export function readHeader(start: Buffer): { header: Header; lines: Buffer } {
  const [magic, json, checksum] = start.subarray(0, HEADER_BYTES_MAX).toString('latin1').split('\n', 3)
  if (magic === undefined || !magic.startsWith('FLOTILLA BACKUP '))
    throw new BackupError('This file is not a Flotilla backup, or its first bytes are damaged.')
  const lines = Buffer.from(`${magic}\n${json}\n${checksum}\n`, 'latin1')
  if (json === undefined || lines.length > start.length || digest(`${magic}\n${json}\n`) !== checksum)
    throw new BackupError('The header of this backup is damaged.')
  if (magic !== MAGIC)
    throw new BackupError(
      'This backup has a format that this version of Flotilla does not support. Use a newer version.',
    )
  return { header: Header.parse(JSON.parse(json)), lines }
}

/** The key of a file's chunks; throws if the passphrase is missing or wrong. */
export async function keyFor(header: Header, passphrase: string | undefined): Promise<Buffer> {
  const salt = Buffer.from(header.salt, 'base64')
  if (header.plainKey !== null) return chunkKey(Buffer.from(header.plainKey, 'base64'), salt)
  if (passphrase === undefined)
    throw new BackupError(
      'This backup is encrypted. Set BACKUP_PASSPHRASE to the passphrase it was made with.',
    )
  const key = await fromPassphrase(passphrase, salt, header.scrypt ?? COST)
  if (checkOf(key, salt) !== header.keyCheck)
    throw new BackupError(
      'The passphrase in BACKUP_PASSPHRASE is not the one that this backup was made with.',
    )
  return chunkKey(key, salt)
}

const nonceOf = (count: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(count, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/** Cuts the source into chunks of one size; the last one may be shorter or empty. */
async function* inChunks(source: AsyncIterable<Buffer>): AsyncGenerator<{ chunk: Buffer; isLast: boolean }> {
  let parts: Buffer[] = []
  let size = 0
  for await (const part of source) {
    parts.push(part)
    size += part.length
    if (size <= CHUNK_BYTES) continue
    const all = Buffer.concat(parts)
    let at = 0
    // One chunk is always held back, because only the end of the source reveals which is the last.
    for (; all.length - at > CHUNK_BYTES; at += CHUNK_BYTES)
      yield { chunk: all.subarray(at, at + CHUNK_BYTES), isLast: false }
    parts = [all.subarray(at)]
    size = all.length - at
  }
  yield { chunk: Buffer.concat(parts), isLast: true }
}

/** Takes bytes and yields the whole file. */
export const seal = ({ lines, key }: Sealer) =>
  async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    yield lines
    let count = 0
    for await (const { chunk, isLast } of inChunks(source)) {
      const cipher = createCipheriv('aes-256-gcm', key, nonceOf(count++, isLast)).setAAD(lines)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(chunk.length)
      yield Buffer.concat([length, cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
    }
  }

const damaged = () => new BackupError('This backup is damaged.')
const truncated = () => new BackupError('This backup is damaged: its end is missing.')

/** Takes the chunks of a file without its header lines and yields the bytes, each only once it is authenticated. */
export const unseal = ({ lines, key }: Sealer) =>
  async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let rest: Buffer = Buffer.alloc(0)
    let count = 0
    let done = false
    const open = (sealed: Buffer): Buffer => {
      const attempt = (isLast: boolean) => {
        const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(count, isLast), {
          authTagLength: TAG_BYTES,
        })
          .setAAD(lines)
          .setAuthTag(sealed.subarray(-TAG_BYTES))
        return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
      }
      try {
        return attempt(false)
      } catch {
        try {
          const last = attempt(true)
          done = true
          return last
        } catch {
          throw damaged()
        }
      } finally {
        count++
      }
    }
    for await (const part of source) {
      rest = rest.length === 0 ? part : Buffer.concat([rest, part])
      for (;;) {
        if (done && rest.length > 0) throw new BackupError('This backup is damaged: bytes follow its end.')
        if (rest.length < 4) break
        const length = rest.readUInt32BE()
        if (length > CHUNK_BYTES) throw damaged()
        const end = 4 + length + TAG_BYTES
        if (rest.length < end) break
        const opened = open(rest.subarray(4, end))
        rest = rest.subarray(end)
        if (opened.length > 0) yield opened
      }
    }
    if (!done || rest.length > 0) throw truncated()
  }
